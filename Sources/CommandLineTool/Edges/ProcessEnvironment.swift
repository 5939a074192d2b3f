internal import Glibc

/// What this process was started with.
enum ProcessEnvironment {
    /// The environment variables; of a name that stands there twice, the first.
    static var variables: [String: String] {
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

    /// The path of the program that runs; `nil` where the kernel does not tell.
    static var program: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The path of `yett-sandbox`, beside this program or in `../libexec/yett`; `nil` if it is in neither.
    static var sandboxProgram: String? {
        guard let program, let slash = program.lastIndex(of: "/") else { return nil }
        let folder = program[..<slash]
        return ["\(folder)/yett-sandbox", "\(folder)/../libexec/yett/yett-sandbox"].first { access($0, X_OK) == 0 }
    }

    /// The folder that relative paths start from; the root where it is gone.
    static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
