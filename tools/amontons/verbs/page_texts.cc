#include "tools/amontons/verbs/page_texts.h"

namespace amontons::cli {

const char* const kSceneFormatBefore = R"(# Scene files

<!-- Made by `amontons manual scene`; edit the tables in amontons/io/scene/scene_format_*.cc. -->

A scene file is YAML in SI units.
Its paths are relative to the scene file.
Each of these is an error with file, line, column and remedy: an unknown, duplicate or missing key,
a value of the wrong kind, a number that is not finite or beyond 1e100, and an unknown name.

```yaml
# file: scene.yaml
amontons: 1
gravity: [0, 0, -9.81]
simulation: {step: 0.001, duration: 2.0}
materials:
  - {name: rubber, friction: 0.9, restitution: 0.1}
  - {pair: [rubber, default], friction: 0.8}
bodies:
  - name: box
    shapes: [{box: [0.2, 0.2, 0.1], material: rubber}]
    mass: 1.0
    pose: {position: [0, 0, 0.2], rpy_deg: [0, 30, 0]}
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
```

`amontons init` writes a first scene with comments.
The command line can change any value:

```sh
amontons run scene.yaml -o box.h5 --set simulation.step=0.01 --set bodies.box.mass=2
```

The reader of scenes uses the same tables as this page.
Where a default is empty, the meaning or the text above the table gives it.
)";

const char* const kSceneFormatAfter = R"(
## CSV files

The first column is the time [s], which must increase.
Separators are commas, semicolons or blanks; `#` begins a comment.
A first line `time, NAME, ...` names the columns.
Before the first instant and after the last the values stay constant.
A motion that begins or ends at rest has two equal values there.
)";

const char* const kRunFormatBefore = R"(# Run files

<!-- Made by `amontons manual run`; edit the tables in amontons/io/run/run_format.cc. -->

A run file is HDF5, readable with h5py or MATLAB.
It is readable also while it is written (SWMR), and after a kill, which loses at most the last
second.
Row 0 is the initial state; row l > 0 holds the step that ends at `time[l]`.
The last row is the final state.

Every chunk of numbers has a checksum (HDF5's filter Fletcher-32), names and extents have those of
HDF5, and texts a SHA-256.
A reader refuses what does not match them.
The last chunk of a dataset is written in place as rows are added.
Where a writer is killed within that, h5py may refuse the chunk until `amontons repair`.

Numbers are finite, counts and indices are not negative, and truth values are 0 or 1, unless the
tables say otherwise.
`/time` and `/step_count` ascend from row to row, except where a program set the state.
A reader compares every row that it reads with that, and names the dataset and the row.

A row that repeats one shortly before it in all but its times, bit for bit, has the same record, so
that what rests takes some 50 bytes a row.
Row l has the entry `record[l]` of every table of R entries: `q[record]` are the positions of all
rows, `q[record[l]]` those of row l.
Where all rows differ, `record` counts from 0.

The sizes are T rows, R records of rows, nq positions, nv velocities, nB bodies, nJ joints and nr
rows of J.
E, B and K are the numbers of contacts, bounded rows and commands of all records of rows; C is that
of the records of contacts, of which those that repeat have one.
`/.name` is an attribute of the file.
The attribute `names` of a dataset of codes lists their names.
The last column names the check of `amontons verify` that finds a wrong value.
)";

const char* const kRunFormatAfter = R"(
## Beside the run

The program writes `RUN.checkpoint` under another name, then renames it.
It starts with the line `AMONTONS-CHECKPOINT-5` and the SHA-256 of the rest in hexadecimal.
The rest is little-endian:

- q and v, each a count (8 bytes) and its numbers;
- time (8 bytes) and step count (8);
- the warm start, a count and 36 bytes a contact: shape A, shape B, feature, three components;
- the length of its step (8), and its impulses of lasting contacts along v, a count and numbers;
- two counters of events (4 each), and the rows and intervals that were logged (8 each);
- the digest of the inputs, a count and text.

A step that misses its certificate leaves `RUN.failure-STEP.h5`, its
[contact problem](problem-format.md).
A run has the name `RUN.h5.PID-N.tmp` until its header is complete.
While it begins, the lock `RUN.h5.lock` keeps other programs from beginning it, too.

`amontons resume RUN.h5` copies the rows up to the checkpoint into a log that replaces the old one,
and continues the run.
It simulates again, to the same bits, the rows after the checkpoint (at most a second).
The last step of a run may have no row under `output.every`.
The checkpoint is then the state before that step, until the run is closed with it as its last row.

`amontons resume` reads the inputs that the run recorded, and refuses a run in four cases:

- the files on the disk differ from the recorded inputs (`--recorded-inputs` accepts this);
- a program commanded the run or set its state (the pages of `replay --live` are no program);
- the checkpoint belongs to another run;
- the run has fewer rows than belong to the checkpoint, since a repair left them out.

`amontons repair RUN.h5` closes a run whose writer was killed.
It keeps the rows before the first that is incomplete or damaged, and is refused where no row would
be left.
The run as it was stays beside it as `RUN.before-repair.h5`; a later repair adds a number.

`amontons compare A.h5 B.h5` compares everything but wall times.
With `--tolerance` it also leaves out the statistics of solvers and contacts without load.

`amontons verify` takes commands and states that a program set as they were recorded.
It reports how many steps have them, and computes everything else again.
)";

const char* const kProblemFormatBefore = R"(# Contact problem files

<!-- Made by `amontons manual problem`;
edit the tables in amontons/io/problem/contact_problem_format.cc. -->

A contact problem file is HDF5.
A step that misses its certificate leaves one beside its run, and `amontons solve` reads it.

`/fclib_global` and `/solution` hold the problem in the Global layout of FCLIB, which Siconos reads:
M v = H r + f + G l, u = H'v + w, G'v + b = 0.
Here f = M v_free, H = J_C' with the contact rows in the order n, t1, t2, and G = J'.
The vector w contains the stabilized gap.
This layout has no bounded rows of joints, viscous friction or restitution by Poisson's law.

`/amontons` holds all data needed to read the same problem back, bit for bit.
The names of the tables are below it; `.name` is an attribute.
)";

const char* const kProblemFormatAfter = R"(
## Other files that `amontons solve` reads

| dataset | meaning |
|---|---|
| `/fclib_local`, `/fclib_global` | a problem of FCLIB, in space or in the plane |
| `/lcp/M`, `/lcp/q` | [n, n] and [n]: 0 <= z perp M z + q >= 0; `--save-lcp` adds `/lcp/rows`, the names of its rows |
| `/lcp/N`, `/lcp/M`, `/lcp/f` | [n, m], [m, m] and [m]: normals N of bodies with the mass matrix M and the impulses f, 0 <= z perp N M^-1 (N'z + f) >= 0 |
| `/lcp/M`, `/lcp/q`, `/lcp/free` | [n, n], [n] and [n]: w = M z + q, with w_i = 0 where free is 1, and 0 <= z_i perp w_i >= 0 elsewhere |
| `/qp/H`, `/qp/g`, `/qp/lower`, `/qp/upper` | [n, n] and [n]: min x'H x / 2 + g'x in the box; bounds may be infinite. Each variable is judged by its own size: the terms of its gradient, or the width of its box |

What is solved, certified and printed of a `/fclib_local` is the problem of the symmetric part of W.
Its asymmetry is printed where it exceeds 1e-6, the rounding of single precision.
Above a tenth the file is refused.
A W that is not positive semidefinite is refused, since no bodies have it.
Eigenvalues of an island may be negative by 1e-6 of its largest sum of absolute entries in a row.
No number of a problem may exceed 1e100, except for infinite bounds of a box.
)";

}  // namespace amontons::cli
