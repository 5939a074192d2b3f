public import AuthModel
public import CursesBackend
public import FrontDoor

/// The terminal app, ready to be run on a terminal.
public struct AppLaunch: Sendable {
    public var keeper: any Keeper
    public var environment: FrontDoorEnvironment
    public var options: CursesOptions

    /// Runs it on the process's terminal. Throws `.configuration` where that cannot show it.
    static func onTerminal(_ launch: AppLaunch) async throws(AuthFailure) {
        let leaving: FrontDoor.Leaving
        do {
            leaving = try await CursesTerminal.run(launch.options) { terminal in
                FrontDoor.run(on: &terminal, keeper: launch.keeper, environment: launch.environment)
            }
        } catch let failure as CursesFailure {
            throw AuthFailure(.configuration, failure.summary, hint: failure.hint)
        } catch {
            throw AuthFailure(.bug, "the app ended with an error nobody foresaw", hint: "yett --plain works without the full screen")
        }
        await leaving.finish()
    }
}
