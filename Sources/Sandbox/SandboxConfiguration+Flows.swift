extension SandboxConfiguration {
    /// Signing in on a device without a browser (RFC 8628).
    public struct Device: Equatable, Sendable {
        /// Whether there is an endpoint for it, announced in metadata.
        public var isOffered: Bool
        /// How long a device code is good.
        public var codeLifetime: Duration
        /// How long a client has to wait between two polls; whole seconds.
        public var interval: Duration

        public init(isOffered: Bool = true, codeLifetime: Duration = .seconds(600), interval: Duration = .seconds(5)) {
            self.isOffered = isOffered
            self.codeLifetime = codeLifetime
            self.interval = interval
        }
    }
}
