import AuthModel
import OAuth

/// Signs a user in on another device (RFC 8628).
struct DeviceSignIn {
    let metadata: ProviderMetadata
    let client: OAuthClient
    let send: (WebRequest) async throws -> WebResponse
    /// Shows the user the page and the code.
    let show: (DeviceAuthorization) -> Void
    let time: any TimeSource

    func run() async throws -> TokenSet {
        let scopes: ScopeSet = ["openid"]
        let request = try DeviceAuthorization.request(scopes: scopes, at: metadata, client: client)
        let authorization = try DeviceAuthorization(
            await send(request), from: metadata, client: client, scopes: scopes, now: time.now)
        show(authorization)

        // The state machine says what to do; this loop does it.
        var polling = DevicePolling(authorization, now: time.bootTime)
        var action = polling.begin(now: time.bootTime)
        while true {
            switch action {
            case .poll(let moment):
                try await time.sleep(until: moment)
                let poll = try TokenEndpoint.poll(authorization, at: metadata, client: client)
                if let response = try? await send(poll) {
                    action = polling.answered(response, host: poll.url.origin.authority, now: time.bootTime, date: time.now)
                } else {
                    action = polling.unanswered(now: time.bootTime)
                }
            case .finish(let result):
                return try result.get()
            }
        }
    }
}
