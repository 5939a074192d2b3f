public import SessionStore
import CLibraries
import Crypto
import Synchronization

/// A FIDO2 security key in software, written from CTAP 2.1: it keeps its credentials in memory, has a PIN or none, and computes secrets with
/// hmac-secret. libfido2 speaks to it as to a USB device, through the same reports.
///
/// It also behaves as a user does: it is touched or not, and plugged in or not.
public final class SoftwareKey: Sendable {
    /// What the key does on a request.
    public struct Behaviour: Sendable {
        /// Whether the user touches the key.
        public var isTouched = true
        /// The status of a request without a touch of the key: time out, or what some keys say instead.
        public var untouched: UInt8 = 0x2F
        /// Called at each touch.
        public var whenTouched: (@Sendable () -> Void)?
        /// Whether the key refuses a request that wants no touch.
        public var alwaysWantsTouch = false
        /// Whether the key supports hmac-secret.
        public var hasSecrets = true
        /// The PIN; `nil` if none is set.
        public var pin: String?
        /// The PIN/UV auth protocols, the preferred one first.
        public var protocols = [1]
        /// Answers every request with this status.
        public var failure: UInt8?

        /// Creates the behaviour of a key that a user touches.
        public init(pin: String? = nil, protocols: [Int] = [1]) {
            self.pin = pin
            self.protocols = protocols
        }
    }

    struct State: Sendable {
        var behaviour: Behaviour
        var reports = KeyReports()
        var agreement = P256.KeyAgreement.PrivateKey()
        var token = SoftwareKey.random(32)
        var credentials: [[UInt8]: Credential] = [:]
        var tries = 8
        var wrongInARow = 0
        var touches = 0
        var pins = 0
        var limits: [Int32] = []
    }

    /// What the key knows of a credential.
    struct Credential: Sendable {
        var relyingParty: String
        var signer: P256.Signing.PrivateKey
        /// The secrets without and with user verification.
        var secrets: [[UInt8]]
    }

    private let path: String
    let state: Mutex<State>

    /// Creates a key, which is not plugged in.
    public init(_ behaviour: Behaviour = Behaviour()) {
        path = "software-key-\(Self.random(8))"
        state = Mutex(State(behaviour: behaviour))
    }

    deinit { Self.plugged.withLock { $0[path] = nil } }

    /// Changes what the key does from now on.
    public func behave(_ change: @Sendable (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

    /// Interrupts the power of the key, as unplugging it does.
    public func replug() { state.withLock { $0.wrongInARow = 0 } }

    /// The number of touches so far.
    public var touches: Int { state.withLock { $0.touches } }
    /// The time limits of the reads so far, in milliseconds; negative ones are none.
    public var limits: [Int32] { state.withLock { $0.limits } }
    /// The number of PINs that the key has checked.
    public var pins: Int { state.withLock { $0.pins } }

    static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

    // MARK: Plugging in

    /// Weak references, so that a key ends with its test.
    private struct Plugged {
        weak var key: SoftwareKey?
    }

    private static let plugged = Mutex<[String: Plugged]>([:])

    /// Returns a place where these keys are plugged in.
    public static func location(_ keys: [SoftwareKey]) -> SecurityKey.Location {
        plugged.withLock { plugged in for key in keys { plugged[key.path] = Plugged(key: key) } }
        return SecurityKey.Location(io: io) { keys.map(\.path) }
    }

    /// What libfido2 calls in place of the system's calls for a HID device.
    private static var io: cfido_io {
        cfido_io(
            open: { path in
                let key = SoftwareKey.plugged.withLock { $0[String(cString: path)]?.key }
                return key.map { Unmanaged.passRetained($0).toOpaque() }
            },
            close: { handle in
                if let handle { Unmanaged<SoftwareKey>.fromOpaque(handle).release() }
            },
            read: { handle, bytes, count, limit in
                guard let handle, count == 64,
                    let report = Unmanaged<SoftwareKey>.fromOpaque(handle).takeUnretainedValue().read(within: limit)
                else { return -1 }
                for (index, byte) in report.enumerated() { bytes[index] = byte }
                return 64
            },
            write: { handle, bytes, count in
                guard let handle, count == 65 else { return -1 }
                // Before the report is its number.
                Unmanaged<SoftwareKey>.fromOpaque(handle).takeUnretainedValue().write((1..<count).map { bytes[$0] })
                return Int32(count)
            })
    }

    private func read(within limit: Int32) -> [UInt8]? {
        state.withLock { state in
            state.limits.append(limit)
            return state.reports.next()
        }
    }

    private func write(_ report: [UInt8]) {
        state.withLock { state in
            guard let message = state.reports.take(report), let command = message.first else { return }
            let parameters = CBOR(Array(message.dropFirst())) ?? .map([])
            do throws(KeyStatus) {
                let answer = try state.answer(to: command, parameters)
                state.reports.answer([0] + (answer.map(\.encoded) ?? []))
            } catch {
                state.reports.answer([error.code])
            }
        }
    }
}
