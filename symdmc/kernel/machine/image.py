"""How a compiled task lies in one array of integers, so that the compiled functions take few arguments.

The header says where the parts are. A program is a stretch of code from a start to an end; an empty one means that
there is nothing to test or to do.
"""

# The header.
WORDS = 0  # of a packed state
FIELDS = 1  # where the table of the variables starts
DISPATCH = 2  # where the table of the dispatchers starts
DISPATCHERS = 3  # how many there are
COMMITMENT = 4  # start and end of the program
INVARIANT = 6  # start and end
ERROR = 8  # start and end
DEADLOCK_WHERE = 10  # start and end
NATIVE_SUCCESSORS = 12  # address of the machine code, 0: none yet
NATIVE_IS_ERROR = 13
HEADER = 14

# A variable: its field, its type, and the largest value it ever has.
FIELD_WORD = 0
FIELD_SHIFT = 1
FIELD_MASK = 2
FIELD_LOW = 3
TYPE_LOW = 4
TYPE_HIGH = 5
TYPE_WRAPS = 6
DOMAIN_HIGH = 7
FIELD_SIZE = 8

# A dispatcher: the field of a location, and a table with the start and end of the list of records for each location.
DISPATCHER_WORD = 0
DISPATCHER_SHIFT = 1
DISPATCHER_MASK = 2
DISPATCHER_TABLE = 3
DISPATCHER_PLACES = 4  # how many lists the table has
DISPATCHER_SIZE = 5

# The record of a transition, followed by its masked tests, then its masked stores: word, mask, value each.
YIELDS = 0  # 1: not possible while some process is committed
COST = 1
GUARD = 2  # start and end
EFFECT = 4  # start and end
TESTS = 6  # how many
STORES = 7  # how many
RECORD = 8
TRIPLE = 3
