internal import CProcess
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

    /// The path of the running program; `nil` if it is not known.
    package static var program: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { path in
            guard let start = path.baseAddress, cprocess_own_path(start, path.count) > 0 else { return nil }
            return String(cString: start)
        }
    }

    /// The command line, with the program's name. Also without `/proc`, where `CommandLine.arguments` is empty.
    package static var arguments: [String] {
        let arguments = cprocess_arguments()
        return (0..<Int(cprocess_argument_count())).compactMap { arguments[$0].map { String(cString: $0) } }
    }

    /// The current working directory; `/` if it no longer exists.
    package static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
