/// What a session is made of.
public enum SessionKind: String, Sendable, CaseIterable {
    /// Tokens, of which it is known what they are and how they are renewed.
    case tokens
    /// What a backend gave, of which nothing is known but what came along.
    case opaque
}

extension ProviderConfiguration {
    /// What its sessions are made of.
    public var sessionKind: SessionKind {
        switch own {
        case .beyondIdentity: .opaque
        case .mapsIndoors, .secureAccess, .arcGIS, .openWeb, nil: .tokens
        }
    }
}
