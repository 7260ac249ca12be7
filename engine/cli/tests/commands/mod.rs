//! Every command as a person meets it: the program, its two streams and its exit code.

mod answers;
mod called;
mod faults;
mod machines;
mod nodes;
mod pasted;
mod runs;
