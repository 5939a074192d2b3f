import Synchronization

/// A notification with a counter, so that no ring is lost between checking and waiting.
final class Bell: Sendable {
    private struct Inside {
        var rings = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let inside = Mutex(Inside())

    var rings: Int { inside.withLock { $0.rings } }

    func ring() {
        let waiting = inside.withLock { inside in
            inside.rings += 1
            defer { inside.waiting = [] }
            return inside.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the bell has rung more than `rings` times.
    func wait(after rings: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = inside.withLock { inside in
                if inside.rings > rings { return true }
                inside.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
