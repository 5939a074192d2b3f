import CLauncher
import CVersion

/// A request to the agent that can be written without reading a file.
protocol LauncherRequest {
    var environment: LauncherEnvironment { get }
    var path: StaticString { get }
    /// Writes the JSON document of the request.
    func write(body: inout ByteWriter)
}

extension LauncherRequest {
    /// Writes the request and returns its length; returns 0 if it cannot be written.
    ///
    /// - Parameter buffer: twice the maximum size of the request: the body is written to the second half first, to determine its length.
    func write(request buffer: UnsafeMutableRawBufferPointer) -> Int {
        let half = buffer.count / 2
        var body = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[half...]))
        write(body: &body)
        var head = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<half]))
        head.append("POST ")
        head.append(path)
        head.append(" HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: ")
        environment.append(environment.dataFolder, orHome: "/.local/share", to: &head)
        head.append("/yett\r\nYett-Configuration: ")
        environment.append(environment.configurationFolder, orHome: "/.config", to: &head)
        head.append("/yett/config.toml\r\nYett-Version: ")
        head.append(plain: cversion_text())
        head.append("\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ")
        head.append(body.count)
        head.append("\r\n\r\n")
        guard body.isValid else { return 0 }
        head.append(UnsafeRawBufferPointer(rebasing: buffer[half..<(half + body.count)]))
        return head.isValid ? head.count : 0
    }
}

/// The request of `yett token SESSION` to the agent.
///
/// All other command lines have no such request.
struct AgentTokenRequest: LauncherRequest {
    /// The session name from the command line.
    let session: UnsafePointer<CChar>
    let environment: LauncherEnvironment

    /// Creates the request for a command line; returns `nil` for any other command.
    init?(_ line: CommandLineArguments, environment: LauncherEnvironment) {
        guard line.count == 3, line.is("token", at: 1), let session = line[2], session[0] != 0,
            session[0] != CChar(truncatingIfNeeded: UInt8(ascii: "-")), environment.allowsAgent
        else { return nil }
        self.session = session
        self.environment = environment
    }

    var path: StaticString { "/v1/token" }

    func write(body: inout ByteWriter) {
        body.append("{\"session\":\"")
        body.append(plain: session)
        // If the user must be asked, the full program does it.
        body.append("\",\"ask\":\"none\"}")
    }
}

/// The request to run a command in the agent: `token` with options, the credential helpers, and `status`.
///
/// The agent decides whether it runs the command. This type only chooses the command lines that are worth a question.
struct AgentCommandRequest: LauncherRequest {
    let environment: LauncherEnvironment
    /// Whether the command reads its request from standard input.
    let readsInput: Bool
    /// Whether the command prints a list, which may be long.
    let printsList: Bool
    /// The standard input, once it was read.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private let line: CommandLineArguments

    /// Longer command lines are left to the full program.
    private static let argumentLimit = 32

    init?(_ line: CommandLineArguments, environment: LauncherEnvironment) {
        guard line.count >= 2, line.count <= Self.argumentLimit, environment.allowsAgent else { return nil }
        let isHelper = line.is("helper", at: 1)
        let isStatus = line.is("status", at: 1)
        guard isHelper || isStatus || line.is("token", at: 1) else { return nil }
        readsInput = isHelper && (line.is("git", at: 2) || line.is("docker", at: 2)) && line.is("get", at: line.count - 1)
        printsList = isStatus
        self.environment = environment
        self.line = line
    }

    var path: StaticString { "/v1/command" }

    func write(body: inout ByteWriter) {
        body.append("{\"arguments\":[")
        var index = 1
        while index < line.count, let argument = line[index] {
            if index > 1 { body.append(",") }
            body.append(quoted: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            index += 1
        }
        body.append("],\"input\":")
        body.append(quoted: input)
        body.append(",\"environment\":{")
        var isFirst = true
        append("LC_ALL", &isFirst, to: &body)
        append("LC_CTYPE", &isFirst, to: &body)
        append("LANG", &isFirst, to: &body)
        if line.is("kubectl", at: 2) { append("KUBERNETES_EXEC_INFO", &isFirst, to: &body) }
        body.append("}}")
    }

    private func append(_ variable: StaticString, _ isFirst: inout Bool, to body: inout ByteWriter) {
        guard let value = LauncherEnvironment.value(of: variable) else { return }
        body.append(isFirst ? "\"" : ",\"")
        isFirst = false
        body.append(variable)
        body.append("\":")
        body.append(quoted: UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}

/// Appends bytes to a borrowed buffer. Data that does not fit or is not allowed makes the result invalid.
struct ByteWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// Whether all data was written and allowed.
    private(set) var isValid = true

    init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    mutating func append(_ text: StaticString) { append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard isValid, bytes.count <= buffer.count - count, let base = buffer.baseAddress, let source = bytes.baseAddress else {
            isValid = false
            return
        }
        memcpy(base + count, source, bytes.count)
        count += bytes.count
    }

    /// Appends text. Characters that could end a header field or JSON string make the result invalid.
    mutating func append(plain text: UnsafePointer<CChar>) {
        let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
        for byte in bytes where byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            isValid = false
            return
        }
        append(bytes)
    }

    /// Appends text as a JSON string with its quotes. Control characters other than tabs and line breaks make the result invalid.
    mutating func append(quoted text: UnsafeRawBufferPointer) {
        append("\"")
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case ..<0x20: invalidate()
            default: withUnsafeBytes(of: byte) { append($0) }
            }
        }
        append("\"")
    }

    /// Marks the result as invalid.
    mutating func invalidate() { isValid = false }

    /// Appends a folder without trailing slashes. An empty or relative path makes the result invalid.
    mutating func append(folder text: UnsafePointer<CChar>) {
        let slash = CChar(truncatingIfNeeded: UInt8(ascii: "/"))
        var length = strlen(text)
        guard length > 1, text[0] == slash else {
            isValid = false
            return
        }
        let start = count
        append(plain: text)
        guard isValid else { return }
        while length > 1, text[length - 1] == slash { length -= 1 }
        count = start + length
    }

    /// Appends a number in decimal digits.
    mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        var digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
        withUnsafeBytes(of: &digit) { append($0) }
    }
}

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
