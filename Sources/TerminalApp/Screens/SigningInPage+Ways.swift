import AuthModel
import TerminalAppModel
import TerminalUI

/// The other sign-in methods, available at the same time as the browser.
extension SigningInPage {
    /// Whether there is another sign-in method than the browser on this machine.
    var hasOtherMethods: Bool { screen.device != nil || screen.forwarding != nil }

    func addOtherMethods(to page: inout Document) {
        if let device = screen.device {
            page.blank()
            addDevice(device, to: &page)
        }
        addForwarding(to: &page)
        if hasOtherMethods, screen.takesPaste {
            page.blank()
            page.words(SigningInWords.orPaste(isCode: screen.takesShownCode))
        }
    }

    /// Adds the keys of the sign-in methods; those that do not work now are muted, so that the others keep their place.
    func addKeys(to page: inout Document) {
        for binding in screen.keys(in: model).bindings where binding.action.isSignInMethod {
            guard let key = binding.keys.first else { continue }
            let works = binding.unavailable == nil
            page.term(
                key.label(glyphs), [Document.Span(binding.help, works ? .text : .muted)], width: 4, as: works ? .key : .muted)
            page.mark(as: .key(key))
        }
    }

    /// Adds the QR code with its caption.
    func addCode(_ device: DeviceCodePrompt, to page: inout Document) {
        page.blank()
        for line in device.qrCode { page.picture(line, isReversed: model.hasLightGround) }
        page.words(SigningInWords.scan(device.host), .muted)
    }

    /// Adds the page and the code for signing in on another device.
    ///
    /// - Parameter hasOwnRow: whether the code has a row of its own, where the text would wrap before it.
    func addDevice(_ device: DeviceCodePrompt, hasOwnRow: Bool = false, to page: inout Document) {
        // The host comes first and in ASCII, so that the user notices a look-alike before typing a code.
        let way = [
            Document.Span(SigningInWords.onAnyDevice), Document.Span(device.host, .accent, .bold),
            Document.Span(SigningInWords.openPage), Document.Span(device.page.text, .link),
        ]
        let code = [Document.Span(SigningInWords.typeCode), Document.Span(device.userCode, .accent, .bold)]
        page.words(hasOwnRow ? way : way + code, hanging: 2)
        if hasOwnRow { page.blocks.append(.row(code, indent: 1)) }
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
    func addCodeAlone(to page: inout Document) {
        guard let device = screen.device else { return }
        for line in device.qrCode { page.picture(line, isReversed: model.hasLightGround) }
        page.words(
            [
                Document.Span(device.host, .accent, .bold), Document.Span(SigningInWords.typeCode),
                Document.Span(device.userCode, .accent, .bold),
            ])
        page.words(SigningInWords.onlyIfYours, .warning)
    }
}

extension SigningInScreen.Action {
    /// Whether the action is a sign-in method, or a part of one.
    fileprivate var isSignInMethod: Bool {
        switch self {
        case .accountMade, .copy, .open, .paste, .code, .requestDeviceCode, .address: true
        default: false
        }
    }
}
