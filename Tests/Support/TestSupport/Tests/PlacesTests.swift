import Synchronization
import Testing

/// The number of tests that run at once is limited, also if Tests/run does not start them.
@Suite struct WidthTests {
    private static let running = Mutex(0)

    /// Without the limit, all cases run at once: each lets the others go first many times.
    @Test(arguments: 0..<100) func fewTestsRunAtOnce(_ number: Int) async {
        Self.running.withLock { $0 += 1 }
        for _ in 0..<100 {
            #expect(Self.running.withLock { $0 } <= ProgramPlaces.width)
            await Task.yield()
        }
        Self.running.withLock { $0 -= 1 }
    }
}

/// Tests that start programs share four places.
@Suite(.startsPrograms) struct PlacesTests {
    private static let running = Mutex(0)

    @Test(arguments: 0..<50) func atMostFourStartPrograms(_ number: Int) async {
        Self.running.withLock { $0 += 1 }
        for _ in 0..<100 {
            #expect(Self.running.withLock { $0 } <= 4)
            await Task.yield()
        }
        Self.running.withLock { $0 -= 1 }
    }

    @Test(.startsProgramsAlone) func oneThatMustBeAloneTakesAllPlaces() async {
        Self.running.withLock { $0 += 1 }
        for _ in 0..<100 {
            #expect(Self.running.withLock { $0 } == 1)
            await Task.yield()
        }
        Self.running.withLock { $0 -= 1 }
    }

    /// Otherwise one that needs all places would wait until all others have ended.
    @Test func placesAreTakenInTheOrderOfAsking() async {
        let order = Order()
        let places = Places(2)
        await places.take(1)
        let all = Task { await order.take(2, of: places) }
        while places.waiting < 1 { await Task.yield() }
        let one = Task { await order.take(1, of: places) }
        while places.waiting < 2 { await Task.yield() }
        places.giveBack(1)
        await all.value
        await one.value
        #expect(order.taken.withLock { $0 } == [2, 1])
    }

    /// Takes places and gives them back, and records how many.
    private final class Order: Sendable {
        let taken = Mutex<[Int]>([])

        func take(_ count: Int, of places: Places) async {
            await places.take(count)
            taken.withLock { $0.append(count) }
            places.giveBack(count)
        }
    }
}
