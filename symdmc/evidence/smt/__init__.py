"""The steps, the states and the diagrams of a certificate as formulas for the solver."""
