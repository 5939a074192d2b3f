internal import Glibc

/// The environment that this process was started with.
package enum ProcessEnvironment {
    /// The environment variables; if a name occurs twice, its first value counts.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "="), equals != pair.startIndex {
                let name = String(pair[..<equals])
                variables[name] = variables[name] ?? String(pair[pair.index(after: equals)...])
            }
            entry += 1
        }
        return variables
    }

    /// The path of the running program; `nil` if the kernel does not report it.
    package static var program: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The current working directory; `/` if it no longer exists.
    package static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
