import Glibc

/// This test program, as the kernel knows it.
let ownProcess = getpid()
let ownProgram: String? = {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    return count > 0 ? String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
}()
