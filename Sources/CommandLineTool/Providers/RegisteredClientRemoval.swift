internal import AuthModel
internal import Localization
internal import SessionStore
internal import UserConfiguration

/// Deletes the registration of a client that Yett registered, at the provider.
struct RegisteredClientRemoval {
    let context: CommandContext

    /// Deletes the registration. Prints a warning if that fails.
    func remove(_ provider: ProviderConfiguration) async {
        guard let issuer = provider.issuer, let directory = try? context.directories.data,
            FileStatus.exists("\(directory)/\(SessionStore.fileName)")
        else { return }
        do throws(AuthFailure) {
            let service = try await context.unlockedService()
            if try await service.unregister(provider.clientID, at: issuer, caFile: provider.caFile) {
                context.console.note("its client is no longer registered at \(issuer.url.origin.authority)")
            }
        } catch {
            context.console.warning("could not delete the client at \(issuer.url.origin.authority): \(error.summary)")
        }
    }
}
