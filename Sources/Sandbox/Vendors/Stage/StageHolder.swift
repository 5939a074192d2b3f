import Synchronization

/// Where the stage is found by those who are made before the port is known.
final class StageHolder<Settings: VendorSettings>: Sendable {
    private let held = Mutex<Stage<Settings>?>(nil)

    var stage: Stage<Settings>? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
