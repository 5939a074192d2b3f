import CLauncher
import CVersion

/// A request to the agent that can be written without reading a file.
protocol AgentRequest {
    var environment: LauncherEnvironment { get }
    var path: StaticString { get }
    /// Writes the JSON document of the request.
    func write(body: inout ByteWriter)
}

extension AgentRequest {
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
struct AgentTokenRequest: AgentRequest {
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
struct AgentCommandRequest: AgentRequest {
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
