/// A credential that another service issued for a session's token, such as the temporary credentials of a cloud role.
public struct DerivedCredential: Equatable, Sendable {
    /// The purpose: the service, the role and everything else that makes another credential. It is compared as a whole.
    public var purpose: String
    /// The credential, in the form in which its tool gets it.
    public var secret: Secret
    /// When a new one must be requested: shortly before it ends.
    public var usableUntil: Timestamp

    /// Creates a credential.
    public init(purpose: String, secret: Secret, usableUntil: Timestamp) {
        self.purpose = purpose
        self.secret = secret
        self.usableUntil = usableUntil
    }

    /// The maximum size of the purpose and the secret together, in bytes.
    public static let sizeLimit = 32 << 10

    /// The maximum number of credentials that a session keeps.
    public static let countLimit = 16
}

extension SessionRecord {
    /// Keeps a credential in place of an older one for the same purpose. Removes those that are no longer usable, and the ones that end
    /// first if there are too many.
    public mutating func keep(_ credential: DerivedCredential, at now: Timestamp) {
        derivedCredentials.removeAll { $0.purpose == credential.purpose || $0.usableUntil <= now }
        derivedCredentials.append(credential)
        derivedCredentials.sort { $0.usableUntil > $1.usableUntil }
        derivedCredentials = Array(derivedCredentials.prefix(DerivedCredential.countLimit))
    }
}
