import AuthModel
@testable import TerminalApp
import Testing
/// The overview is computed rarely, so it must never differ from one that is computed now.
@Suite struct SessionOverviewTests {
    /// Sessions with ends, renewals and notices at many different times, in every recorded state.
    private func sessions() throws -> [SessionSummary] {
        try (0..<60).map { index in
            var session = try Sample.session(
                "work/p\(index)", SessionState.allCases[index % SessionState.allCases.count], left: .seconds(Int64(index * 37 - 200)),
                renewable: index % 3 == 0)
            if index % 4 == 0 { session.recordedState = .signedIn }
            if index % 5 == 0 { session.nextRenewalAt = Sample.now + .seconds(Int64(index * 11)) }
            if index % 7 == 0 { session.lastUsedAt = Sample.now - .seconds(Int64(index)) }
            return session
        }
    }

    @Test func overviewIsAlwaysThatOfTheMoment() throws {
        var model = AppModel(now: Sample.now)
        model.sessions = try sessions()
        // Every time at which something may change, and the instants around it.
        let events = try sessions().flatMap { session in
            [session.accessExpiresAt, session.nextRenewalAt].compactMap(\.self).flatMap {
                [$0, $0 - .seconds(60), $0 - .seconds(300), $0 + SessionSummary.renewalDelay]
            }
        }
        let instants = Set(events.flatMap { event in (-1...2).map { event + .milliseconds(Int64($0)) } }).filter { $0 >= Sample.now }
            .sorted()
        #expect(instants.count > 300)
        for instant in instants {
            model.now = instant
            let now = AppModel.fresh(model).overview
            let isSame =
                SessionState.allCases.allSatisfy { model.overview.count($0) == now.count($0) }
                && model.overview.nextEnd == now.nextEnd && model.overview.nextRenewal == now.nextRenewal
                && model.overview.nextNotice == now.nextNotice && model.overview.lastUse == now.lastUse
            #expect(isSame, "\(instant - Sample.now) after the start")
        }
    }

    @Test func overviewFollowsRenewalsAndTheClockBackwards() throws {
        var model = AppModel(now: Sample.now)
        let session = try Sample.session("work/ada", left: .seconds(100), renewable: false)
        model.sessions = [session]
        #expect(model.overview.count(.signedIn) == 1)
        model.renewing = [session.name]
        #expect(model.overview.count(.renewing) == 1 && model.overview.count(.signedIn) == 0)
        model.renewing = []
        model.now = Sample.now + .seconds(101)
        #expect(model.overview.count(.needsSignIn) == 1 && model.overview.nextEnd == nil)
        model.now = Sample.now
        #expect(model.overview.count(.signedIn) == 1 && model.overview.nextEnd?.at == session.accessExpiresAt)
        model.sessions = nil
        #expect(!model.overview.countsDown)
    }
}

extension AppModel {
    /// Returns the model with everything computed anew.
    fileprivate static func fresh(_ model: AppModel) -> AppModel {
        var copy = model
        copy.sessions = model.sessions
        return copy
    }
}
