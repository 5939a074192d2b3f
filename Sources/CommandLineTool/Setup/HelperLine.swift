internal import AuthModel
internal import UserConfiguration

/// A command line of `yett helper` in a tool's configuration.
struct HelperLine: Equatable, Sendable {
    /// The session; `nil` if the helper chooses it by the host.
    let session: SessionName?

    /// Parses the words of a command; `nil` if it is not this helper of Yett.
    init?(_ words: [String], helper: String) {
        guard words.count >= 3, words[0].split(separator: "/").last == "yett", words[1] == "helper", words[2] == helper else { return nil }
        session = words.dropFirst(3).first.flatMap { $0.hasPrefix("-") ? nil : SessionName($0) }
    }

    /// Parses a line with quotes.
    init?(line: String, helper: String) { self.init(Self.words(of: line), helper: helper) }

    /// Splits a line at spaces, as a shell does: quotes of both kinds, and backslashes outside of single quotes.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                word.append(scalar)
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
            } else if quote == nil, scalar == " " {
                if !word.isEmpty { words.append(String(word)) }
                word = String.UnicodeScalarView()
            } else {
                word.append(scalar)
            }
        }
        return word.isEmpty ? words : words + [String(word)]
    }
}

/// A program named `docker-credential-…`, which docker finds in `PATH`.
///
/// `docker-credential-yett` lets Yett choose the session by the registry. A session of one account has a program of its own, because
/// docker passes no argument that could name the session.
struct HelperProgram: Sendable {
    /// The name that `credHelpers` has.
    let suffix: String
    /// The session that the program names; `nil` for one that chooses it by the registry.
    let session: SessionName?
    private let environment: SetupEnvironment

    var name: String { "docker-credential-\(suffix)" }
    private static let prefix = "docker-credential-"
    private static let general = "yett"

    private var path: String { "\(environment.programFolder)/\(name)" }

    init(session: SessionName, in environment: SetupEnvironment) {
        self.session = session.account == nil ? nil : session
        let account = session.account.map { $0.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "-") : $0 } }
        suffix = account.map { "\(Self.general)-\(session.provider)-\(String(decoding: $0, as: UTF8.self))" } ?? Self.general
        self.environment = environment
    }

    /// Finds the program that `credHelpers` names; `nil` if it is not one of Yett. Throws `.configuration` if it cannot be read.
    init?(suffix: String, in environment: SetupEnvironment) throws(AuthFailure) {
        guard suffix == Self.general || suffix.hasPrefix(Self.general + "-"), !suffix.contains("/") else { return nil }
        self.suffix = suffix
        self.environment = environment
        let path = environment.program(Self.prefix + suffix) ?? environment.programFolder + "/" + Self.prefix + suffix
        let text = try suffix == Self.general ? nil : PrivateFile.read(path).map { String(decoding: $0, as: UTF8.self) }
        let line = text?.split(separator: "\n").first { $0.hasPrefix("exec ") }?.dropFirst("exec ".count)
        session = line.flatMap { HelperLine(HelperLine.words(of: String($0)).filter { $0 != "$@" }, helper: "docker") }?.session
    }

    private var text: String {
        let words = ["yett", "helper", "docker"] + (session.map { [$0.description] } ?? [])
        return "#!/usr/bin/env sh\nexec \(words.shellLine) \"$@\"\n"
    }

    /// Returns the edit that creates the program; `nil` if it is in `PATH` already. Throws `.configuration` if its folder is not in `PATH`,
    /// or if another file has its name.
    func creation() throws(AuthFailure) -> FileEdit? {
        if let found = environment.program(name), found != path || session == nil { return nil }
        try environment.requireProgramFolder(for: name, of: "docker")
        let present = try PrivateFile.read(path)
        guard present != Array(text.utf8) || environment.program(name) == nil else { return nil }
        guard present == nil || present == Array(text.utf8) else {
            throw AuthFailure(.configuration, text: "\(path) is another program", hint: "move it away, and run the command again")
        }
        return FileEdit(path: path, before: present, after: text, isProgram: true)
    }

    /// Returns the edit that removes the program; `nil` if it is not in the user's folder, or not as a setup writes it.
    func removal() throws(AuthFailure) -> FileEdit? {
        guard let present = try PrivateFile.read(path), present == Array(text.utf8), !FileSnapshot.isLink(path) else { return nil }
        return FileEdit(path: path, before: present, after: "", isRemoval: true)
    }
}

/// Writers of the syntaxes that the tools of `yett setup` read. A tool reads back exactly the value, and evaluates nothing in it.
///
/// Values have no control characters: ``SessionName`` and ``WebURL`` refuse them. Commands are quoted for the shell by ``ShellWord`` first.
enum ToolSyntax {
    /// A string in a muttrc. Between double quotes, mutt runs what is between backquotes and replaces `$NAME`, unless a backslash is
    /// before.
    static func mutt(_ value: String) -> String { "\"\(value.escaped { "\\\"`$".unicodeScalars.contains($0) })\"" }

    /// A value in a configuration file of mbsync, which splits values at spaces and knows quotes, backslashes and comments.
    static func mbsync(_ value: String) -> String {
        isPlain(value) ? value : "\"\(value.escaped { $0 == "\\" || $0 == "\"" })\""
    }

    /// A value in a configuration file of msmtp, which removes the quotes around a value and takes what is between them literally.
    static func msmtp(_ value: String) -> String { isPlain(value) ? value : "\"\(value)\"" }

    /// An element of an option of kubectl that is a list (RFC 4180).
    static func kubectl(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }) else { return value }
        return "\"\(value.escaped(with: "\"") { $0 == "\"" })\""
    }

    /// A command for `credential_process` of AWS tools: some split it themselves, with double quotes around words; others give it to a
    /// shell.
    ///
    /// Throws `.usage` for a word that has more than letters, digits, spaces and `. _ - @ + / : , =`.
    static func aws(_ words: [String]) throws(AuthFailure) -> String {
        for word in words where !isPlain(word, with: " /:,=") {
            throw AuthFailure(
                .usage, text: "'\(word)' cannot be written into credential_process", hint: "use letters, digits and . _ - @ + / : , =")
        }
        return words.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
    }

    /// Returns whether a value has only letters and digits of any script, `. _ - @ +`, and what is in `others`.
    private static func isPlain(_ value: String, with others: String = "") -> Bool {
        !value.isEmpty && value.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || (".-@+" + others).unicodeScalars.contains($0) }
    }
}

extension [String] {
    /// The first word of a command, with a mark if there are more: other words may be secrets.
    static func firstWord(of command: String) -> String {
        let words = command.split(separator: " ", maxSplits: 1)
        return (words.first.map(String.init) ?? "") + (words.count > 1 ? " …" : "")
    }

    var shellLine: String { map { ShellWord($0).text }.joined(separator: " ") }
}
