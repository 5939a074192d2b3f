import AuthModel

extension OpenIDProvider {
    /// Fault point: a whole response.
    ///
    /// A fault that replaces the response takes effect before any work is done, so that the client can retry; a fault that corrupts the
    /// response takes effect after it.
    func answering(_ endpoint: Fault.Endpoint, _ honest: () -> Answer) -> Answer {
        let faults = misbehaviour.strike(TransportFault.self) { .transport(endpoint, $0) }
        if let first = faults.first(where: \.replacesAnswer) { return first.distort(Answer(status: 200), elsewhere: elsewhere) }
        return faults.reduce(honest()) { $1.distort($0, elsewhere: elsewhere) }
    }

    /// Fault point: the members of a metadata document.
    func faulty(metadata document: JSONValue, kind: SandboxConfiguration.Metadata) -> JSONValue {
        misbehaviour.strike(DiscoveryFault.self, as: Fault.discovery).reduce(document) { $1.distort($0, kind: kind) }
    }

    /// Fault point: the keys of the key set.
    func faulty(keySet document: JSONValue) -> JSONValue {
        misbehaviour.strike(KeySetFault.self, as: Fault.keys).reduce(document) { $1.distort($0) }
    }

    /// Fault point: an ID token before it is signed.
    func faulty(idToken draft: TokenDraft, isRefreshed: Bool) -> TokenDraft {
        let faults = misbehaviour.strike(IDTokenFault.self) { isRefreshed ? .refreshedIDToken($0) : .idToken($0) }
        return faults.reduce(draft) { $1.distort($0, now: now, keys: keys, elsewhere: elsewhere) }
    }

    /// Fault point: the claims of userinfo.
    func faulty(userInfo claims: JSONValue, answer: (JSONValue) -> Answer) -> Answer {
        let faults = misbehaviour.strike(UserInfoFault.self, as: Fault.userInfo)
        return faults.lazy.compactMap(\.refusal).first ?? answer(faults.reduce(claims) { $1.distort($0, elsewhere: elsewhere) })
    }
}

extension TransportFault {
    /// Whether the fault replaces the response, so that no work is done.
    var replacesAnswer: Bool {
        switch self {
        case .closed, .hanging, .notFound, .serverError, .unavailable, .html, .empty400, .redirect302, .redirect307: true
        case .notJSON, .array, .plainText, .duplicateMember, .oversize, .gzipBomb: false
        }
    }
}
