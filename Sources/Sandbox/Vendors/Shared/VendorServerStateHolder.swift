import Synchronization

/// A holder for the server state, for objects that are created before the port is known.
final class VendorServerStateHolder<Settings: VendorSettings>: Sendable {
    private let held = Mutex<VendorServerState<Settings>?>(nil)

    var serverState: VendorServerState<Settings>? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
