/// What one request may cost, and whom it may trust.
public struct TransportPolicy: Equatable, Sendable {
    /// From the call to the last byte, name look-up and handshake included.
    public var deadline: Duration
    /// Bytes of the body at most, counted after inflating.
    public var bodyLimit: Int
    /// Bytes of all header lines at most, interim answers included.
    public var headerLimit: Int
    /// Header lines at most, interim answers included.
    public var headerCountLimit: Int
    /// A PEM file with roots that count beside the system's.
    public var caFile: String?

    public init(
        deadline: Duration = .seconds(15), bodyLimit: Int = 1 << 20, headerLimit: Int = 64 << 10, headerCountLimit: Int = 200,
        caFile: String? = nil
    ) {
        self.deadline = deadline
        self.bodyLimit = bodyLimit
        self.headerLimit = headerLimit
        self.headerCountLimit = headerCountLimit
        self.caFile = caFile
    }

    /// 15 seconds, 1 MB, the system's roots.
    public static let standard = TransportPolicy()
}
