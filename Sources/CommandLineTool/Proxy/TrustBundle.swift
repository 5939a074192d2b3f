internal import Agent
internal import AuthEngine
internal import AuthModel
internal import Glibc
internal import OperatingSystem
internal import UserConfiguration

/// The files with the certificates that one command trusts: those of this environment, and one more. They have no secret, but a command must
/// trust no file that others can change.
///
/// Their folder is locked as long as it is used, so that the next command can remove what a killed process left.
struct TrustBundle {
    /// The path of the file for each variable.
    let files: [String: String]
    /// The folder of the files.
    let folder: String
    private let descriptor: Int32

    /// The variables of programs that have a bundle of certificates of their own, each with those whose file such a program reads otherwise.
    private static let replacing: [String: [String]] = [
        "SSL_CERT_FILE": [], "CURL_CA_BUNDLE": [], "REQUESTS_CA_BUNDLE": ["CURL_CA_BUNDLE"], "GIT_SSL_CAINFO": [], "CARGO_HTTP_CAINFO": [],
        "AWS_CA_BUNDLE": ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"], "PIP_CERT": ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
        "NODE_EXTRA_CA_CERTS": [], npm: [],
    ]
    /// Debian's npm has a bundle in its configuration, so that NODE_EXTRA_CA_CERTS does not count. Others add that file.
    private static let npm = "npm_config_cafile"

    private static let prefix = "yett-intercept-"
    /// A folder that every user can enter.
    private static let sharedBase = "/tmp"

    /// Creates the files.
    ///
    /// - Parameters:
    ///   - certificate: the certificate to add, in PEM.
    ///   - isShared: whether they are outside of the folder of the agent's socket, where other users can read them.
    init(adding certificate: String, isShared: Bool, in context: CommandContext) throws(AuthFailure) {
        let environment = context.edges.environment
        let base = isShared ? Self.sharedBase : context.agentLocation.folder
        try PrivateFile.makeDirectory(context.agentLocation.folder, isPrivate: true)
        Self.removeLeftovers(in: base)
        (folder, descriptor) = try Self.makeFolder(in: base, mode: isShared ? 0o755 : 0o700)
        var paths: [[String?]: String] = [:]
        var files: [String: String] = [:]
        do throws(AuthFailure) {
            for (variable, others) in Self.replacing {
                let own = ([variable] + others + ["SSL_CERT_FILE"]).lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
                let added = variable == Self.npm && own != environment[variable] ? environment["NODE_EXTRA_CA_CERTS"] : nil
                let path = paths[[own, added]] ?? "\(folder)/\(Self.name(paths.count))"
                if paths[[own, added]] == nil {
                    let bytes = try CertificateRoots.bundle(environment, replacedBy: own, adding: added) + Array(certificate.utf8)
                    do throws(SystemError) {
                        try Self.write(bytes, to: path, mode: isShared ? 0o644 : 0o600)
                    } catch {
                        throw error.failure("phrase.write", path)
                    }
                    paths[[own, added]] = path
                }
                files[variable] = path
            }
        } catch {
            Self.remove(folder, descriptor)
            close(descriptor)
            throw error
        }
        self.files = files
    }

    /// Removes the files.
    func remove() {
        Self.remove(folder, descriptor)
        close(descriptor)
    }

    /// Removes the files by the descriptor of the folder: a command that may write beside it can have put a link in its place.
    private static func remove(_ folder: String, _ descriptor: Int32) {
        for number in 0..<replacing.count { unlinkat(descriptor, name(number), 0) }
        rmdir(folder)
    }

    private static func name(_ number: Int) -> String { "\(number).pem" }

    private static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(SystemError) {
        let descriptor = try SecretFile.create(path)
        defer { close(descriptor) }
        try OpenFile.write(bytes, to: descriptor)
        guard fchmod(descriptor, mode) == 0 else { throw .last }
    }

    /// Creates a folder and locks it. Another process may take it for a leftover, in the moment before it is locked.
    private static func makeFolder(in base: String, mode: mode_t) throws(AuthFailure) -> (String, Int32) {
        for _ in 0..<100 {
            let path = "\(base)/\(prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
            guard mkdir(path, 0o700) == 0 else { throw SystemError.last.failure("phrase.write", path) }
            do {
                // Throws if others could replace a folder of the path.
                _ = try SecretFile(path + "/0.pem")
            } catch {
                if rmdir(path) != 0, errno == ENOENT { continue }
                throw AuthFailure(
                    .configuration, text: "other users can change \(error.path)", hint: "set XDG_RUNTIME_DIR to a folder of your own")
            }
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { continue }
            guard descriptor >= 0 else { throw SystemError.last.failure("phrase.write", path) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isLinked(descriptor), fchmod(descriptor, mode) == 0 { return (path, descriptor) }
            close(descriptor)
        }
        throw AuthFailure(
            .unavailable(retryAfter: nil), text: "another program removes or locks each new folder in \(base)",
            hint: "end that program: fuser \(base)/\(prefix)* names it while it runs")
    }

    private static func isLinked(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    private static func removeLeftovers(in base: String) {
        for name in FolderListing.names(in: base) where name.hasPrefix(prefix) {
            let descriptor = open("\(base)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                remove("\(base)/\(name)", descriptor)
            }
            close(descriptor)
        }
    }
}
