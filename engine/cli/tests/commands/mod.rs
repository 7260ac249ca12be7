//! Every command as a user sees it: the program, its two output streams and its exit code.

mod answers;
mod called;
mod faults;
mod machines;
mod nodes;
mod pasted;
mod recipes;
mod runs;
mod sweeps;
mod traces;
