import AuthModel
import TerminalAppModel
import TerminalUI

/// The other sign-in methods, available at the same time as the browser.
extension SigningInPage {
    /// Whether there is another sign-in method than the browser on this machine.
    var hasOtherMethods: Bool { screen.device != nil || screen.forwarding != nil }

    /// The steps to show: all of them; if the other methods need the space, the started ones, or only the running one.
    var visibleSteps: [SigningInScreen.StepLine] {
        guard hasOtherMethods, let running = screen.steps.last(where: { $0.progress.isRunning }) else { return screen.steps }
        let code = hasSpaceForCode ? screen.device?.qrCode.count ?? 0 : 0
        let room = Frame.bodySize(model.size).rows - maximumRowsWithoutSteps - code
        let begun = screen.steps.filter { $0.progress.hasBegun }
        return [screen.steps, begun].first { $0.count <= room } ?? [running]
    }

    func addOtherMethods(to page: inout Document) {
        if let device = screen.device {
            page.blank()
            addDevice(device, to: &page)
            if hasSpaceForCode { for line in device.qrCode { page.picture(line, isReversed: model.hasLightGround) } }
        }
        addForwarding(to: &page)
        if hasOtherMethods, screen.takesPaste {
            page.blank()
            page.words(SigningInWords.orPaste(isCode: screen.takesShownCode))
        }
    }

    /// Adds the page and the code for signing in on another device.
    func addDevice(_ device: DeviceCodePrompt, to page: inout Document) {
        // The host comes first and in ASCII, so that the user notices a look-alike before typing a code.
        page.words(
            [
                Document.Span(SigningInWords.onAnyDevice), Document.Span(device.host, .accent, .bold),
                Document.Span(SigningInWords.openPage), Document.Span(device.page.text, .link),
                Document.Span(SigningInWords.typeCode), Document.Span(device.userCode, .accent, .bold),
            ], hanging: 2)
        page.words(SigningInWords.onlyIfYours, .warning)
    }

    /// Adds the SSH command that connects the browser on the user's machine with this one.
    func addForwarding(to page: inout Document) {
        guard let forwarding = screen.forwarding else { return }
        page.blank()
        page.words(SigningInWords.forwardFirst)
        page.verbatim(forwarding, Style(.link))
    }

    /// Adds the QR code alone, for a terminal without space for other content.
    func addCode(to page: inout Document) {
        guard let device = screen.device else { return }
        for line in device.qrCode { page.picture(line, isReversed: model.hasLightGround) }
        page.words(
            [
                Document.Span(device.host, .accent, .bold), Document.Span(SigningInWords.typeCode),
                Document.Span(device.userCode, .accent, .bold),
            ])
        page.words(SigningInWords.onlyIfYours, .warning)
    }

    /// The maximum number of rows without the steps and the QR code.
    private var maximumRowsWithoutSteps: Int {
        func rows(_ text: String?) -> Int { text.map { 1 + ($0.utf8.count - 1) / max(1, model.size.columns) } ?? 0 }
        let url = screen.url == nil ? 0 : 1 + rows(screen.url?.text)
        let forwarding = screen.forwarding == nil ? 0 : 2 + rows(screen.forwarding)
        return 10 + url + forwarding + (screen.takesPaste ? 2 : 0)
    }

    /// Whether the complete QR code fits without hiding the other methods.
    private var hasSpaceForCode: Bool {
        guard let device = screen.device else { return false }
        let size = Frame.bodySize(model.size)
        return glyphs != .ascii && size.rows >= device.qrCode.count + maximumRowsWithoutSteps + 1
            && size.columns >= (device.qrCode.first?.count ?? 0) + 4
    }
}

extension SigningInScreen.StepLine.Progress {
    fileprivate var hasBegun: Bool { if case .pending = self { false } else { true } }
    fileprivate var isRunning: Bool { if case .running = self { true } else { false } }
}
