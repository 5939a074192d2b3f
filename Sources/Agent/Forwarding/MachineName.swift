import Glibc

/// The name of the user and this machine, for people.
enum MachineName {
    /// Returns `ada@laptop`: the user's name, or number if it has none, and the short name of the host. The environment does not count: an
    /// agent gets only the variables that it needs.
    static func ofUser() -> String {
        var host = [CChar](repeating: 0, count: 256)
        let hasHost = gethostname(&host, host.count - 1) == 0
        let short = hasHost ? text(host).prefix { $0 != "." } : ""
        return "\(userName ?? "\(geteuid())")@\(short.isEmpty ? "localhost" : String(short))"
    }

    private static var userName: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let base = buffer.baseAddress, getpwuid_r(geteuid(), &entry, base, buffer.count, &found) == 0, found != nil else {
                return nil
            }
            return entry.pw_name.map { String(cString: $0) }
        }
    }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
