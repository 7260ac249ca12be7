fn main() {
    println!("mmscope {}", env!("CARGO_PKG_VERSION"));
}
