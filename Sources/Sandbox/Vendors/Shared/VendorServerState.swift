import AuthModel
import Crypto
import Synchronization

/// The state of a vendor's server: its address, its clock, and its current settings.
public final class VendorServerState<Settings: VendorSettings>: Sendable {
    /// The address without TLS, which always works.
    let plainOrigin: String
    private let tls: TLSConnections
    private let time: any TimeSource
    let clockOffset: ClockOffset
    private let state: Mutex<(vendor: Settings, common: VendorServerSettings)>

    init(port: Int, settings: Settings, common: VendorServerSettings, time: any TimeSource, clockOffset: ClockOffset, tls: TLSConnections) {
        plainOrigin = "http://127.0.0.1:\(port)"
        self.tls = tls
        state = Mutex((settings, common))
        self.time = time
        self.clockOffset = clockOffset
    }

    /// The scheme, host and port.
    public var origin: String { common.tls == .off ? plainOrigin : plainOrigin.replacingFirst("http:", with: "https:") }

    /// The system's own time.
    var now: Timestamp { time.now + clockOffset.value }

    var settings: Settings { state.withLock(\.vendor) }

    /// The settings that all vendors have.
    var common: VendorServerSettings { state.withLock(\.common) }

    func change(_ body: (inout Settings) -> Void) { state.withLock { body(&$0.vendor) } }
    func changeCommon(_ body: (inout VendorServerSettings) -> Void) { state.withLock { body(&$0.common) } }

    /// The user who signs in without a page.
    var autoApproved: SandboxUser? { common.autoApproves.flatMap(Self.user) }

    static func user(_ username: String) -> SandboxUser? { SandboxUser.standard.first { $0.username == username } }

    /// Changes one setting, of the vendor or of all vendors.
    func set(_ name: String, to value: JSONValue) throws(UnknownSandboxSetting) { try set([.init(name, value)]) }

    /// Changes several settings; changes none if one of them is invalid.
    private func set(_ members: [JSONValue.Member]) throws(UnknownSandboxSetting) {
        let failure: UnknownSandboxSetting? = state.withLock { state in
            var changed = state
            do throws(UnknownSandboxSetting) {
                for member in members {
                    if VendorServerSettings.sandboxSettings.contains(where: { $0.name == member.name }) {
                        try VendorServerSettings.sandboxSettings.set(member.name, to: member.value, in: &changed.common)
                    } else {
                        try changed.vendor.set(member.name, to: member.value)
                    }
                }
            } catch {
                return error
            }
            state = changed
            return nil
        }
        if let failure { throw failure }
    }

    // MARK: Before any route

    /// Returns the response in place of the system's own: for control requests, and for requested failures.
    func interruption(of request: SandboxRequest, log: RequestLog) async -> SandboxResponse? {
        let common = self.common
        if common.showsControls {
            switch (request.method, request.path) {
            case ("GET", "/__log"): return .json(.array(log.requests.map(\.json)))
            case ("GET", "/__set"): return .json(settingValues)
            case ("GET", "/__certificate"): return certificate
            case ("POST", "/__set"): return set(request.body, log: log)
            default: break
            }
        }
        await SandboxClock.pause(for: common.delay)
        let status = state.withLock { $0.common.consumeFailure(at: request.path) }
        if let status { return .text("the sandbox is set to fail here\n", status: status) }
        return state.withLock { $0.common.consumeAnswer(at: request.path) }?.answer(to: request, at: origin)
    }

    private var certificate: SandboxResponse {
        do throws(AuthFailure) {
            return try tls.certificate().map { .text($0, type: "application/x-pem-file") } ?? .notFound
        } catch {
            return .text(error.message.description + "\n", status: 500)
        }
    }

    /// The allowed range of a clock change, in seconds: a hundred years, in either direction.
    private static var longestAdvance: ClosedRange<Int64> { -3_155_760_000...3_155_760_000 }

    /// Applies a JSON object of settings, in their order; changes none if one of them is invalid. `clock_advance` moves the clock by that
    /// many seconds, `clear_log` deletes the logged requests.
    private func set(_ body: [UInt8], log: RequestLog) -> SandboxResponse {
        guard let members = (try? JSONValue(strict: String(decoding: body, as: UTF8.self)))?.members else {
            return .json(["error": "not a JSON object"], status: 400)
        }
        var advance = Duration.zero
        var changed: [JSONValue.Member] = []
        for member in members {
            switch member.name {
            case "clock_advance":
                guard let seconds = member.value.integer, Self.longestAdvance.contains(seconds) else {
                    return .json(["error": "clock_advance must be a number of seconds"], status: 400)
                }
                advance += .seconds(seconds)
            case "clear_log": continue
            default: changed.append(member)
            }
        }
        do throws(UnknownSandboxSetting) {
            try set(changed)
        } catch {
            return .json(["error": .string(error.isKnown ? "invalid value" : "unknown setting"), "name": .string(error.name)], status: 400)
        }
        clockOffset.add(advance)
        if members.contains(where: { $0.name == "clear_log" }) { log.clear() }
        return .json(settingValues)
    }

    private var settingValues: JSONValue {
        let (settings, common) = state.withLock { $0 }
        return .object(
            VendorServerSettings.sandboxSettings.map { .init($0.name, $0.value(common)) }
                + Settings.sandboxSettings.map { .init($0.name, $0.value(settings)) })
    }
}

/// A holder for the server state, for objects that are created before the port is known.
final class VendorServerStateHolder<Settings: VendorSettings>: Sendable {
    private let held = Mutex<VendorServerState<Settings>?>(nil)

    var serverState: VendorServerState<Settings>? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}

/// The authorization codes of one system: each is valid once, for a limited time, and for the values that it is bound to.
struct AuthorizationCodes<Content: Sendable>: Sendable {
    /// The values that a code is bound to.
    struct Binding: Equatable, Sendable {
        var clientID: String
        var redirectURI: String
        /// The PKCE challenge (RFC 7636), S256; `nil` if none was sent.
        var challenge: String?
    }

    private struct Entry: Sendable {
        var binding: Binding
        var content: Content
        var endsAt: Timestamp
    }

    private var entries: [String: Entry] = [:]

    mutating func issue(_ content: Content, for binding: Binding, until end: Timestamp) -> String {
        let code = OpenIDProvider.makeName()
        entries[code] = Entry(binding: binding, content: content, endsAt: end)
        return code
    }

    /// Redeems a code; it is used up even if this throws.
    mutating func redeem(
        _ code: String, clientID: String, redirectURI: String?, verifier: String?, now: Timestamp
    ) throws(ErrorReply) -> Content {
        guard let entry = entries.removeValue(forKey: code) else { throw ErrorReply("invalid_grant", "the code is unknown") }
        guard now < entry.endsAt else { throw ErrorReply("invalid_grant", "the code has expired") }
        guard entry.binding.clientID == clientID else { throw ErrorReply("invalid_grant", "the code is another client's") }
        guard entry.binding.redirectURI == redirectURI else {
            throw ErrorReply("invalid_grant", "the redirect URI differs from the authorization request")
        }
        guard verifier.map(Self.challenge) == entry.binding.challenge else {
            throw ErrorReply("invalid_grant", "code_verifier does not match")
        }
        return entry.content
    }

    static func challenge(for verifier: String) -> String { SandboxBase64.url(Array(SHA256.hash(data: Array(verifier.utf8)))) }
}
