/// The part of a device sign-in that the user sees (RFC 8628 section 3.3). The device code is a secret and is not part of it.
public struct DeviceCodePrompt: Equatable, Sendable {
    /// The code that the user compares with, or types at, the verification page.
    public var userCode: String
    /// The verification page. It can be opened on any device.
    public var page: WebURL
    /// The verification page with the code already filled in, at the same origin.
    public var completePage: WebURL?
    /// A QR code of the page, light on dark, one string per line; empty if none can be drawn.
    public var qrCode: [String]

    /// Creates a device code prompt.
    public init(userCode: String, page: WebURL, completePage: WebURL? = nil, qrCode: [String] = []) {
        self.userCode = userCode
        self.page = page
        self.completePage = completePage
        self.qrCode = qrCode
    }

    /// The host of the page, in ASCII, so that the user can check it before typing a code.
    public var host: String { page.origin.authority }
}
