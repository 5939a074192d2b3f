/// A device sign-in as the person sees it (RFC 8628 section 3.3). The device code itself is a secret, and not in here.
public struct DeviceCodePrompt: Equatable, Sendable {
    /// To be compared with, or typed at, the page.
    public var userCode: String
    /// The page, on whichever device.
    public var page: WebURL
    /// The page with the code filled in already, at the same origin.
    public var completePage: WebURL?
    /// A QR code of the page, drawn light on dark line by line; empty where none can be drawn.
    public var qrCode: [String]

    public init(userCode: String, page: WebURL, completePage: WebURL? = nil, qrCode: [String] = []) {
        self.userCode = userCode
        self.page = page
        self.completePage = completePage
        self.qrCode = qrCode
    }

    /// Whose page it is, in ASCII: the one thing to look at before a code is typed.
    public var host: String { page.origin.authority }
}
