import AuthModel
import Crypto
import Foundation
import Synchronization

/// A service with the interface of systemd's `io.systemd.Credentials`, written from its description: `Encrypt` and `Decrypt` for one machine
/// and one user. Two peers with different keys are two machines.
///
/// It also misbehaves on request. It ends with its last reference.
public final class CredentialsPeer: Sendable {
    /// What the peer does with a request.
    public enum Behaviour: Sendable {
        /// What the description says.
        case honest
        /// Answers with these bytes and closes the connection.
        case bytes([UInt8])
        /// Answers with an error of this name.
        case error(String)
        /// Accepts the connection, and never answers.
        case silent
        /// Opens each sealed key as these bytes.
        case opensAs([UInt8])
    }

    /// What seals, as the first 16 bytes of systemd's credentials tell.
    public enum Kind: String, Sendable, CaseIterable {
        case host = "55b9ed1d38594d43a8319d2ebb332ac6"
        case hostAndTPM = "ef4ac13679a9480ea7db68897f9f165d"
        case hostAndTPMWithPublicKey = "adbc4ca3efb64201ba881b6f2e4095ea"
        case null = "058469daf6f54324800549da0f8ea2fb"
        case later = "00112233445566778899aabbccddeeff"

        var identifier: [UInt8] {
            let digits = Array(rawValue.utf8.filter { $0 < 0x80 })
            return stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) }
        }
    }

    private struct State {
        var behaviour = Behaviour.honest
        var requests: [String] = []
        var held: [Int32] = []
    }

    /// The path of the socket.
    public let socket: String
    private let kind: Kind
    private let user: Int
    private let key = SymmetricKey(size: .bits256)
    private let listener: Int32
    private let state = Mutex(State())

    /// Listens at a path that does not exist.
    public init(_ path: String, kind: Kind = .hostAndTPM, user: Int = 1000) throws {
        socket = path
        self.kind = kind
        self.user = user
        listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard status == 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        let descriptor = listener
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else {
                    if errno == EINTR { continue }
                    // Here and not in deinit: this thread would accept for the next peer that gets the number.
                    close(descriptor)
                    return
                }
                if let self { serve(connection) } else { close(connection) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(socket)
        for connection in state.withLock({ $0.held }) { close(connection) }
    }

    /// The methods that were called, in order.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Changes what the peer does from now on.
    public func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    private func serve(_ connection: Int32) {
        guard let request = Self.message(from: connection), let call = try? JSONValue(strict: request) else {
            close(connection)
            return
        }
        let behaviour = state.withLock { state in
            state.requests.append(call["method"]?.string ?? "")
            return state.behaviour
        }
        var answer: [UInt8]
        switch behaviour {
        case .silent: return state.withLock { $0.held.append(connection) }
        case .bytes(let bytes): answer = bytes
        case .error(let id): answer = Self.error(id)
        case .honest: answer = self.answer(to: call, opening: nil)
        case .opensAs(let bytes): answer = self.answer(to: call, opening: bytes)
        }
        while !answer.isEmpty {
            let count = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { break }
            answer.removeFirst(count)
        }
        close(connection)
    }

    /// Reads up to the NUL byte.
    private static func message(from connection: Int32) -> [UInt8]? {
        var message: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            if byte == 0 { return message }
            message.append(byte)
        }
        return nil
    }

    private static func error(_ id: String) -> [UInt8] {
        Array(JSONValue.members(("error", .string(id)), ("parameters", .object([]))).text.utf8) + [0]
    }

    private static func reply(_ member: String, _ bytes: [UInt8]) -> [UInt8] {
        let value = JSONValue.members((member, .string(Data(bytes).base64EncodedString())))
        return Array(JSONValue.members(("parameters", value)).text.utf8) + [0]
    }
}

/// The honest service.
extension CredentialsPeer {
    private func answer(to call: JSONValue, opening forced: [UInt8]?) -> [UInt8] {
        let parameters = call["parameters"]
        func bytes(_ member: String) -> [UInt8]? {
            parameters?[member]?.string.flatMap { Data(base64Encoded: $0) }.map(Array.init)
        }
        guard let name = parameters?["name"]?.string, !name.isEmpty, !name.contains("/"), name.utf8.count < 256 else {
            return Self.error("org.varlink.service.InvalidParameter")
        }
        // Without the scope of the user, an ordinary user is asked for an administrator's password.
        guard parameters?["scope"] == "user" else { return Self.error("io.systemd.InteractiveAuthenticationRequired") }
        switch call["method"]?.string {
        case "io.systemd.Credentials.Encrypt":
            guard let data = bytes("data"), let blob = sealed(data, name) else { return Self.error("org.varlink.service.InvalidParameter") }
            return Self.reply("blob", blob)
        case "io.systemd.Credentials.Decrypt":
            guard let blob = bytes("blob") else { return Self.error("org.varlink.service.InvalidParameter") }
            guard Array(blob.prefix(16)) == kind.identifier, let (sealedName, data) = opened(blob) else {
                return Self.error("io.systemd.Credentials.BadFormat")
            }
            guard sealedName == name else { return Self.error("io.systemd.Credentials.NameMismatch") }
            return Self.reply("data", forced ?? data)
        default: return Self.error("org.varlink.service.MethodNotFound")
        }
    }

    private func sealed(_ data: [UInt8], _ name: String) -> [UInt8]? {
        let content = Array(name.utf8) + [0] + data
        let box = try? AES.GCM.seal(content, using: key, authenticating: Array("\(user)".utf8))
        return (box?.combined).map { kind.identifier + Array($0) }
    }

    private func opened(_ blob: [UInt8]) -> (name: String, data: [UInt8])? {
        guard let box = try? AES.GCM.SealedBox(combined: blob.dropFirst(16)),
            let content = try? AES.GCM.open(box, using: key, authenticating: Array("\(user)".utf8)),
            let end = content.firstIndex(of: 0)
        else { return nil }
        return (String(decoding: content[..<end], as: UTF8.self), Array(content[(end + 1)...]))
    }
}
