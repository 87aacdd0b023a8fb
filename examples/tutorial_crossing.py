"""The level crossing of the tutorial, for any number of trains."""

from symdmc import Builder, System


def build(*, trains: int = 2) -> System:
    """A level crossing whose controller counts the trains.

    trains: how many trains there are
    """
    m = Builder("crossing")
    for channel in ("near", "gone", "lower", "raise"):
        m.channel(channel)
    for i in range(trains):
        train = m.process(f"Train{i}", initial="far")
        train.edge("far", "coming", sync="near!")
        train.edge("coming", "crossing", guard="Gate.down")
        train.edge("crossing", "far", sync="gone!")
    gate = m.process("Gate", initial="up")
    gate.edge("up", "down", sync="lower?")
    gate.edge("down", "up", sync="raise?")
    controller = m.process("Controller", initial="idle")
    controller.integer("present", 0, 2)
    controller.edge("idle", "lowering", sync="near?", do="present = 1")
    controller.edge("lowering", "closed", sync="lower!")
    controller.edge("closed", "closed", sync="near?", do="present = present + 1")
    controller.edge("closed", "closed", sync="gone?", do="present = present - 1")
    controller.edge("closed", "raising", guard="present == 0")
    controller.edge("raising", "idle", sync="raise!")
    m.property("unguarded", " or ".join(f"Gate.up and Train{i}.crossing" for i in range(trains)))
    return m.build()
