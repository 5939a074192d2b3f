import Glibc

/// The request of `yett token SESSION` to the agent, as far as it is known without reading a file.
///
/// All other cases have no request and are left to the full program.
struct AgentTokenRequest {
    /// The session name from the command line.
    let session: UnsafePointer<CChar>
    let environment: Environment

    /// The environment variables that determine the agent's socket and store.
    struct Environment {
        var runtimeFolder: UnsafePointer<CChar>?
        var home: UnsafePointer<CChar>?
        var dataFolder: UnsafePointer<CChar>?
        var configurationFolder: UnsafePointer<CChar>?
        var configuration: UnsafePointer<CChar>?
        var disablesAgent: UnsafePointer<CChar>?

        /// Reads the variables of this process.
        static func own() -> Environment {
            func value(_ name: StaticString) -> UnsafePointer<CChar>? {
                UnsafePointer(getenv(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)))
            }
            return Environment(
                runtimeFolder: value("XDG_RUNTIME_DIR"), home: value("HOME"), dataFolder: value("XDG_DATA_HOME"),
                configurationFolder: value("XDG_CONFIG_HOME"), configuration: value("YETT_CONFIG"),
                disablesAgent: value("YETT_NO_AGENT"))
        }
    }

    /// Creates the request for a command line; returns `nil` for any other command.
    init?(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, environment: Environment) {
        let word: StaticString = "token"
        guard count == 3, let command = arguments[1], let session = arguments[2],
            strcmp(command, UnsafeRawPointer(word.utf8Start).assumingMemoryBound(to: CChar.self)) == 0,
            session[0] != 0, session[0] != CChar(bitPattern: UInt8(ascii: "-"))
        else { return nil }
        guard !Self.isSet(environment.configuration), !Self.isSet(environment.disablesAgent) else { return nil }
        self.session = UnsafePointer(session)
        self.environment = environment
    }

    private static func isSet(_ text: UnsafePointer<CChar>?) -> Bool {
        guard let text else { return false }
        return text[0] != 0
    }

    /// Writes the address of the agent's socket; returns false if it cannot be determined.
    func write(address: inout sockaddr_un) -> Bool {
        address.sun_family = sa_family_t(AF_UNIX)
        return withUnsafeMutableBytes(of: &address.sun_path) { path in
            guard let folder = environment.runtimeFolder else { return false }
            var writer = ByteWriter(path)
            writer.append(folder: folder)
            writer.append("/yett/agent.sock\0")
            return writer.isValid
        }
    }

    /// Writes the request and returns its length; returns 0 if it cannot be written.
    ///
    /// - Parameter buffer: twice the maximum size of the request: the body is written to the second half first, to determine its length.
    func write(request buffer: UnsafeMutableRawBufferPointer) -> Int {
        let half = buffer.count / 2
        var body = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[half...]))
        body.append("{\"session\":\"")
        body.append(plain: session)
        // If the user must be asked, the full program does it.
        body.append("\",\"ask\":\"nobody\"}")
        var head = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<half]))
        head.append("POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: ")
        append(environment.dataFolder, orHome: "/.local/share", to: &head)
        head.append("/yett\r\nYett-Configuration: ")
        append(environment.configurationFolder, orHome: "/.config", to: &head)
        head.append("/yett/config.toml\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ")
        head.append(body.count)
        head.append("\r\n\r\n")
        guard body.isValid else { return 0 }
        head.append(UnsafeRawBufferPointer(rebasing: buffer[half..<(half + body.count)]))
        return head.isValid ? head.count : 0
    }

    /// Appends an XDG folder: the variable's value if it is absolute, otherwise a folder below the home folder.
    private func append(_ folder: UnsafePointer<CChar>?, orHome rest: StaticString, to head: inout ByteWriter) {
        if let folder, folder[0] == CChar(bitPattern: UInt8(ascii: "/")) { return head.append(folder: folder) }
        guard let home = environment.home else { return head.invalidate() }
        head.append(folder: home)
        head.append(rest)
    }
}
