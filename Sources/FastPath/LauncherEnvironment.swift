import CLauncher

/// The environment variables that determine the agent's socket, store and configuration.
struct LauncherEnvironment {
    var runtimeFolder: UnsafePointer<CChar>?
    var home: UnsafePointer<CChar>?
    var dataFolder: UnsafePointer<CChar>?
    var configurationFolder: UnsafePointer<CChar>?
    var configuration: UnsafePointer<CChar>?
    var disablesAgent: UnsafePointer<CChar>?
    var log: UnsafePointer<CChar>?
    /// The socket of an agent on another machine, which answers only the full program.
    var remoteSocket: UnsafePointer<CChar>?

    /// Reads the variables of this process.
    static func own() -> LauncherEnvironment {
        LauncherEnvironment(
            runtimeFolder: value(of: "XDG_RUNTIME_DIR"), home: value(of: "HOME"), dataFolder: value(of: "XDG_DATA_HOME"),
            configurationFolder: value(of: "XDG_CONFIG_HOME"), configuration: value(of: "YETT_CONFIG"),
            disablesAgent: value(of: "YETT_NO_AGENT"), log: value(of: "YETT_LOG"),
            remoteSocket: value(of: "YETT_AGENT_SOCK"))
    }

    /// Returns the value of a variable of this process.
    static func value(of name: StaticString) -> UnsafePointer<CChar>? {
        UnsafePointer(getenv(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)))
    }

    /// Whether the agent may be asked: it is not disabled, and has this user's configuration.
    var allowsAgent: Bool {
        !Self.isSet(configuration) && !Self.isSet(disablesAgent) && !Self.isSet(log) && !Self.isSet(remoteSocket)
    }

    private static func isSet(_ text: UnsafePointer<CChar>?) -> Bool {
        guard let text else { return false }
        return text[0] != 0
    }

    /// Writes the address of the agent's socket: in `$XDG_RUNTIME_DIR/yett`, or in `/tmp/yett-UID` if the variable is not set.
    ///
    /// - Returns: false if a folder on the way is missing, belongs to another user or is accessible to others. The full program reports it.
    func write(address: inout sockaddr_un) -> Bool {
        address.sun_family = sa_family_t(AF_UNIX)
        return withUnsafeMutableBytes(of: &address.sun_path) { path in
            var writer = ByteWriter(path)
            if let folder = runtimeFolder, folder[0] == CChar(truncatingIfNeeded: UInt8(ascii: "/")) {
                writer.append(folder: folder)
                guard Self.isOwnFolder(path, writer) else { return false }
                writer.append("/yett")
            } else {
                writer.append("/tmp/yett-")
                writer.append(Int(geteuid()))
            }
            guard Self.isOwnFolder(path, writer) else { return false }
            writer.append("/agent.sock\0")
            return writer.isValid
        }
    }

    /// Returns whether the path written so far is a folder that only this user can enter.
    private static func isOwnFolder(_ path: UnsafeMutableRawBufferPointer, _ writer: ByteWriter) -> Bool {
        var ended = writer
        ended.append("\0")
        guard ended.isValid, let start = path.baseAddress else { return false }
        return claunch_is_own_folder(start.assumingMemoryBound(to: CChar.self)) != 0
    }

    /// Appends an XDG folder: the variable's value if it is absolute, otherwise a folder below the home folder.
    func append(_ folder: UnsafePointer<CChar>?, orHome rest: StaticString, to head: inout ByteWriter) {
        if let folder, folder[0] == CChar(truncatingIfNeeded: UInt8(ascii: "/")) { return head.append(folder: folder) }
        guard let home else { return head.invalidate() }
        head.append(folder: home)
        head.append(rest)
    }
}

/// The command line of this process.
struct CommandLineArguments {
    /// The number of arguments, with the program's name.
    let count: Int
    private let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    init(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
        self.count = Int(count)
        self.arguments = arguments
    }

    subscript(_ index: Int) -> UnsafePointer<CChar>? {
        guard (0..<count).contains(index) else { return nil }
        return UnsafePointer(arguments[index])
    }

    /// Returns whether the argument at a position is this word.
    func `is`(_ word: StaticString, at index: Int) -> Bool {
        guard let argument = self[index] else { return false }
        return strcmp(argument, UnsafeRawPointer(word.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }
}
