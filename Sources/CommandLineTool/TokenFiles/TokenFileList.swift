internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// The list of token files, in `token-files.json` in the folder of the state. Commands change it, and the agent keeps its files fresh.
struct TokenFileList: Sendable {
    /// The folder of the list, which only the user can change.
    let folder: String

    /// The maximum number of files.
    static let limit = 64
    static let name = "token-files.json"

    private var path: String { "\(folder)/\(Self.name)" }

    /// Returns the files in the order in which they were added; none if there is no list.
    func read() throws(AuthFailure) -> [TokenFile] {
        guard let bytes = try PrivateFile.read(path) else { return [] }
        guard let list = try? JSONValue(strict: bytes), let files = list["files"]?.array else {
            throw AuthFailure(.configuration, UserMessage("token_file.list_damaged", ["path": path]), hint: "hint.remove_damaged_list")
        }
        // A newer version may have entries of another form.
        return files.compactMap { TokenFile(json: $0) }
    }

    /// Adds a file, in place of an entry with the same path.
    ///
    /// Throws `.usage` if something else is at its path, or its folder does not exist, `.configuration` if the path has a symbolic link, if
    /// others can change one of its folders, or if the list is full.
    func add(_ file: TokenFile) throws(AuthFailure) {
        try PrivateFile.makeDirectory(folder, isPrivate: true)
        try change { (files) throws(AuthFailure) in
            let isTaken = try Self.checked(file.path) { (secret) throws(SecretFile.Failure) in try secret.exists() }
            guard !isTaken || files.contains(where: { $0.path == file.path }) else {
                throw AuthFailure(.usage, UserMessage("token_file.exists", ["path": file.path]), hint: "hint.choose_another_file")
            }
            files.removeAll { $0.path == file.path }
            guard files.count < Self.limit else {
                throw AuthFailure(.configuration, UserMessage("token_file.too_many", ["count": Self.limit]), hint: "hint.end_token_files")
            }
            files.append(file)
        }
    }

    /// Ends the file at a path and removes it. Returns false if the list does not have it.
    func end(_ path: String) throws(AuthFailure) -> Bool {
        guard try read().contains(where: { $0.path == path }) else { return false }
        try change { (files) throws(AuthFailure) in
            files.removeAll { $0.path == path }
            Self.remove(path)
        }
        return true
    }

    private func change(_ body: (inout [TokenFile]) throws(AuthFailure) -> Void) throws(AuthFailure) {
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            var files = try read()
            try body(&files)
            let list = JSONValue.members(("version", 1), ("files", .array(files.map(\.json))))
            try PrivateFile.replace(path, with: Array(list.text.utf8))
        }
    }

    // MARK: The files

    /// Writes a token to a file, which is replaced at once. Only the user can read it. Returns false if the file was ended meanwhile.
    func write(_ token: Secret, to file: TokenFile) throws(AuthFailure) -> Bool {
        try whileKept(file) { () throws(AuthFailure) in
            var bytes: [UInt8] = []
            token.withBytes { bytes += $0 }
            try Self.checked(file.path) { (secret) throws(SecretFile.Failure) in try secret.replace(with: bytes) }
        }
    }

    /// Removes a file's token, unless the file was ended meanwhile: what is at its path then is not the agent's.
    func empty(_ file: TokenFile) throws(AuthFailure) {
        _ = try whileKept(file) { Self.remove(file.path) }
    }

    /// Removes the tokens of all files but those of these sessions; with no sessions, when the agent ends, of all files.
    func empty(exceptOf sessions: [SessionSummary] = []) throws(AuthFailure) {
        guard try !read().isEmpty else { return }
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            for file in try read() {
                let isUsable = sessions.contains { $0.name == file.session && ![.needsSignIn, .revoked].contains($0.recordedState) }
                if !isUsable { Self.remove(file.path) }
            }
        }
    }

    /// Runs `body` if the list has the file, so that it cannot be ended at the same time. Returns whether it has it.
    private func whileKept(_ file: TokenFile, _ body: () throws(AuthFailure) -> Void) throws(AuthFailure) -> Bool {
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            guard try read().contains(file) else { return false }
            try body()
            return true
        }
    }

    /// Removes a file that has a token. What is not such a file, or cannot be reached safely, stays.
    private static func remove(_ path: String) {
        try? checked(path) { (secret) throws(SecretFile.Failure) in try secret.remove() }
    }

    /// Returns whether the file has a token now. Throws the reason why none can be written.
    static func hasToken(_ file: TokenFile) throws(AuthFailure) -> Bool {
        try checked(file.path) { (secret) throws(SecretFile.Failure) in try secret.exists() }
    }

    private static func checked<Value>(
        _ path: String, _ body: (borrowing SecretFile) throws(SecretFile.Failure) -> Value
    ) throws(AuthFailure) -> Value {
        do throws(SecretFile.Failure) {
            return try body(try SecretFile(path))
        } catch {
            throw failure(error, path)
        }
    }

    private static func failure(_ failure: SecretFile.Failure, _ path: String) -> AuthFailure {
        switch failure.reason {
        case .symbolicLink:
            AuthFailure(.configuration, UserMessage("token_file.link", ["path": failure.path]), hint: "hint.use_path_without_links")
        case .file(.system(let error)) where error.isMissing && failure.path != path:
            AuthFailure(.usage, UserMessage("token_file.no_folder", ["path": failure.path]), hint: "hint.create_folder")
        case .file(let reason): PrivateFile.failure(reason, failure.path)
        }
    }
}

/// A file that the agent keeps filled with a fresh token, for a program that reads its token from a file.
struct TokenFile: Equatable, Sendable {
    /// The absolute path.
    let path: String
    /// The session.
    let session: SessionName
    /// The type of the token.
    let wanted: TokenRequest.Wanted
    /// The scopes and the audience of the token.
    let restrictions: TokenRestrictions

    init(path: String, session: SessionName, wanted: TokenRequest.Wanted = .access, restrictions: TokenRestrictions = .session) {
        self.path = path
        self.session = session
        self.wanted = wanted
        self.restrictions = restrictions
    }

    /// The request for the token. The user is not asked: the token is renewed while no one is there.
    func request(minimumValidity: Duration) -> TokenRequest {
        var request = TokenRequest(
            session: session, wanted: wanted, minimumValidity: minimumValidity, restrictions: restrictions,
            caller: .verbatim("yett token --file"))
        request.asking = .noPrompt
        request.destination = path
        return request
    }

    /// The file as JSON, for the list and for `yett files --json`.
    var json: JSONValue {
        .members(
            ("path", .string(path)), ("session", .string(session.description)), ("kind", .string(wanted.rawValue)),
            ("scopes", JSONValue(restrictions.scopes.values)), ("audience", JSONValue(restrictions.audience)))
    }

    /// Reads a file from the list; `nil` if the value is none.
    init?(json: JSONValue) {
        guard let path = json["path"]?.string, path.hasPrefix("/"), let session = json["session"]?.string.flatMap({ SessionName($0) }),
            let wanted = json["kind"]?.string.flatMap(TokenRequest.Wanted.init(rawValue:)), let scopes = json["scopes"]?.strings
        else { return nil }
        self.init(
            path: path, session: session, wanted: wanted,
            restrictions: TokenRestrictions(scopes: ScopeSet(scopes), audience: json["audience"]?.string))
    }
}
