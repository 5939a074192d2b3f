extension Vendor {
    /// Help on the sign-in methods that the default configuration does not use; `nil` if there is only one method.
    public var otherSignInMethods: String? {
        switch self {
        case .beyondIdentity:
            """
            The configuration that is printed has mode = "rp-initiated", and the keys of the other two modes behind #: they have the client
            \(BeyondIdentitySettings().clientID), an issuer for secure-access, and an exchange_url for direct.
            """
        case .openWeb:
            """
            The configuration that is printed has mode = "codes", for the user names and passwords that yett sandbox lists. With
            mode = "jwt", the JWT of ada is \(OpenWebGateway.jwt(for: "ada")); with mode = "provider", her token is
            \(OpenWebGateway.providerToken(for: "ada")) at each provider. For another user, replace ada by
            the user name.
            """
        case .mapsIndoors, .arcGIS: nil
        }
    }
}
