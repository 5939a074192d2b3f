import AuthModel
import TerminalUI

/// The other ways in, all open at the same time as the browser's.
extension SigningInPage {
    /// Whether there is more to choose from than the browser on this machine.
    var hasOtherWays: Bool { screen.device != nil || screen.forwarding != nil }

    /// All steps, or the running one only where the ways need the room.
    var stepsInSight: [SigningInScreen.StepLine] {
        guard hasOtherWays, let running = screen.steps.last(where: { $0.progress.isRunning }) else { return screen.steps }
        return [running]
    }

    func addOtherWays(to page: inout Document) {
        if let device = screen.device {
            page.blank()
            // The host comes first and in ASCII: a look-alike is found out here, before a code is typed.
            page.words(
                [
                    Document.Span(SigningInWords.onAnyDevice), Document.Span(device.host, .accent, .bold),
                    Document.Span(SigningInWords.openPage), Document.Span(device.page.text, .link),
                    Document.Span(SigningInWords.typeCode), Document.Span(device.userCode, .accent, .bold),
                ], hanging: 2)
            page.words(SigningInWords.onlyIfYours, .warning)
            if hasRoomForCode { for line in device.qrCode { page.picture(line, isReversed: world.hasLightGround) } }
        }
        if let forwarding = screen.forwarding {
            page.blank()
            page.words(SigningInWords.forwardFirst)
            page.verbatim(forwarding, Style(.link))
        }
        if hasOtherWays, screen.takesPaste {
            page.blank()
            page.words(SigningInWords.orPaste)
        }
    }

    /// The QR code with nothing around it, for a terminal that has no room for both.
    func addCode(to page: inout Document) {
        guard let device = screen.device else { return }
        for line in device.qrCode { page.picture(line, isReversed: world.hasLightGround) }
        page.words(
            [
                Document.Span(device.host, .accent, .bold), Document.Span(SigningInWords.typeCode),
                Document.Span(device.userCode, .accent, .bold),
            ])
        page.words(SigningInWords.onlyIfYours, .warning)
    }

    /// A code that is cut off is of no use, and one that pushes the other ways out of sight does harm.
    private var hasRoomForCode: Bool {
        guard let device = screen.device else { return false }
        let size = Frame.bodySize(world.size)
        let others = screen.url == nil ? 8 : 18
        return glyphs != .ascii && size.rows >= device.qrCode.count + others && size.columns >= (device.qrCode.first?.count ?? 0) + 4
    }
}

extension SigningInScreen.StepLine.Progress {
    fileprivate var isRunning: Bool { if case .running = self { true } else { false } }
}
