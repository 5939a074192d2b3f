import AuthModel
import TerminalUI

/// The other ways in, all open at the same time as the browser's.
extension SigningInPage {
    /// Whether there is more to choose from than the browser on this machine.
    var hasOtherWays: Bool { screen.device != nil || screen.forwarding != nil }

    /// All steps; where the ways need the room those that have begun, or the running one only.
    var stepsInSight: [SigningInScreen.StepLine] {
        guard hasOtherWays, let running = screen.steps.last(where: { $0.progress.isRunning }) else { return screen.steps }
        let code = hasSpaceForCode ? screen.device?.qrCode.count ?? 0 : 0
        let room = Frame.bodySize(model.size).rows - rowsOfWays - code
        let begun = screen.steps.filter { $0.progress.hasBegun }
        return [screen.steps, begun].first { $0.count <= room } ?? [running]
    }

    func addOtherWays(to page: inout Document) {
        if let device = screen.device {
            page.blank()
            addDevice(device, to: &page)
            if hasSpaceForCode { for line in device.qrCode { page.picture(line, isReversed: model.hasLightGround) } }
        }
        addForwarding(to: &page)
        if hasOtherWays, screen.takesPaste {
            page.blank()
            page.words(SigningInWords.orPaste(isCode: screen.takesShownCode))
        }
    }

    /// Where a code is typed, on whatever device, and the code.
    func addDevice(_ device: DeviceCodePrompt, to page: inout Document) {
        // The host comes first and in ASCII: a look-alike is found out here, before a code is typed.
        page.words(
            [
                Document.Span(SigningInWords.onAnyDevice), Document.Span(device.host, .accent, .bold),
                Document.Span(SigningInWords.openPage), Document.Span(device.page.text, .link),
                Document.Span(SigningInWords.typeCode), Document.Span(device.userCode, .accent, .bold),
            ], hanging: 2)
        page.words(SigningInWords.onlyIfYours, .warning)
    }

    /// What brings the browser of the machine that the person sits at to here.
    func addForwarding(to page: inout Document) {
        guard let forwarding = screen.forwarding else { return }
        page.blank()
        page.words(SigningInWords.forwardFirst)
        page.verbatim(forwarding, Style(.link))
    }

    /// The QR code with nothing around it, for a terminal that has no room for both.
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

    /// The rows of all but the steps and the code, as many as they can be.
    private var rowsOfWays: Int {
        func rows(_ text: String?) -> Int { text.map { 1 + ($0.utf8.count - 1) / max(1, model.size.columns) } ?? 0 }
        let url = screen.url == nil ? 0 : 1 + rows(screen.url?.text)
        let forwarding = screen.forwarding == nil ? 0 : 2 + rows(screen.forwarding)
        return 10 + url + forwarding + (screen.takesPaste ? 2 : 0)
    }

    /// A code that is cut off is of no use, and one that pushes the other ways out of sight does harm.
    private var hasSpaceForCode: Bool {
        guard let device = screen.device else { return false }
        let size = Frame.bodySize(model.size)
        return glyphs != .ascii && size.rows >= device.qrCode.count + rowsOfWays + 1
            && size.columns >= (device.qrCode.first?.count ?? 0) + 4
    }
}

extension SigningInScreen.StepLine.Progress {
    fileprivate var hasBegun: Bool { if case .pending = self { false } else { true } }
    fileprivate var isRunning: Bool { if case .running = self { true } else { false } }
}
