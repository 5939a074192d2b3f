import Synchronization

/// Where the stage is found by those who are made before the port is known.
final class VendorServerStateHolder<Settings: VendorSettings>: Sendable {
    private let held = Mutex<VendorServerState<Settings>?>(nil)

    var stage: VendorServerState<Settings>? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
