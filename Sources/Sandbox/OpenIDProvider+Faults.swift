import AuthModel

extension OpenIDProvider {
    /// Fault point: a whole response.
    ///
    /// A fault that replaces the response takes effect before any work is done, so that the client can retry; a fault that corrupts the
    /// response takes effect after it.
    func answering(_ endpoint: Fault.Endpoint, _ honest: () -> SandboxResponse) -> SandboxResponse {
        let faults = faultSet.consumeFaults(TransportFault.self) { .transport(endpoint, $0) }
        if let first = faults.first(where: \.replacesResponse) { return first.apply(SandboxResponse(status: 200), elsewhere: elsewhere) }
        return faults.reduce(honest()) { $1.apply($0, elsewhere: elsewhere) }
    }

    /// Fault point: the members of a metadata document.
    func applyingFaults(metadata document: JSONValue, kind: SandboxConfiguration.Metadata) -> JSONValue {
        faultSet.consumeFaults(DiscoveryFault.self, as: Fault.discovery).reduce(document) { $1.apply($0, kind: kind) }
    }

    /// Fault point: the keys of the key set.
    func applyingFaults(keySet document: JSONValue) -> JSONValue {
        faultSet.consumeFaults(KeySetFault.self, as: Fault.keys).reduce(document) { $1.apply($0) }
    }

    /// Fault point: an ID token before it is signed.
    func applyingFaults(idToken draft: TokenDraft, isRefreshed: Bool) -> TokenDraft {
        let faults = faultSet.consumeFaults(IDTokenFault.self) { isRefreshed ? .refreshedIDToken($0) : .idToken($0) }
        return faults.reduce(draft) { $1.apply($0, now: now, keys: keys, elsewhere: elsewhere) }
    }

    /// Fault point: the claims of userinfo.
    func applyingFaults(userInfo claims: JSONValue, answer: (JSONValue) -> SandboxResponse) -> SandboxResponse {
        let faults = faultSet.consumeFaults(UserInfoFault.self, as: Fault.userInfo)
        return faults.lazy.compactMap(\.refusal).first ?? answer(faults.reduce(claims) { $1.apply($0, elsewhere: elsewhere) })
    }
}

extension TransportFault {
    /// Whether the fault replaces the response, so that no work is done.
    var replacesResponse: Bool {
        switch self {
        case .closed, .hanging, .notFound, .serverError, .unavailable, .html, .empty400, .redirect302, .redirect307: true
        case .notJSON, .array, .plainText, .duplicateMember, .oversize, .gzipBomb: false
        }
    }
}
