import Glibc

/// The C library that the program runs with.
package enum SystemLibrary {
    /// Its name and version: `glibc 2.36`.
    package static var version: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            let count = confstr(Int32(_CS_GNU_LIBC_VERSION), buffer.baseAddress, buffer.count)
            guard count > 1, count <= buffer.count, let start = buffer.baseAddress else { return "unknown" }
            return String(cString: start)
        }
    }
}
