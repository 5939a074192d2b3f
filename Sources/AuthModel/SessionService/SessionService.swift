/// The interface of the engine. The terminal app and the commands use the engine only through it.
///
/// An implementation works in this process or forwards to the agent over a socket; callers cannot tell the difference. Every method may be
/// called from any task at any time.
///
/// It consists of one protocol for each role. There are no default implementations: a service that forwards to another one must forward
/// everything.
public protocol SessionService: SessionDirectory, ConsentService, SignInService, TokenService, DerivedCredentialService,
    SignOutService, ClientRegistry, StoreLock
{}

extension SessionService {
    /// Signs out of every session that must end with the process. Deletes a session locally if it cannot be revoked.
    public func endProcessSessions() async {
        guard let ending = try? await providers().filter(\.endsWithProcess).map(\.name), !ending.isEmpty,
            let sessions = try? await sessions()
        else { return }
        await withTaskGroup { group in
            for name in sessions.map(\.name) where ending.contains(name.provider) {
                group.addTask {
                    do throws(AuthFailure) {
                        _ = try await signOut(name, mode: .revoke)
                    } catch {
                        // A locked store cannot provide the token to revoke, but can delete the session.
                        _ = try? await signOut(name, mode: .localOnly)
                    }
                }
            }
        }
    }
}
