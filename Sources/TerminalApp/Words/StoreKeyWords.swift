package import AuthModel
import Localization

/// How the store's key is kept, and what that does not protect from.
package enum StoreKeyWords {
    /// Returns two sentences; none if the session service does not tell how the key is kept.
    package static func sentences(_ report: SealReport) -> [String] {
        guard let seal = report.seal else { return [] }
        return [place(seal, report), limits(seal, report.systemKey)]
    }

    private static func place(_ seal: Seal, _ report: SealReport) -> String {
        switch seal {
        case .passphrase: tr("Your passphrase opens the store.")
        case .secretService: tr("The key of your store is in your login keyring.")
        case .system: systemPlace(report.systemKey)
        case .securityKey:
            plural(
                report.securityKeys ?? 1, "{1} security key opens your store.", "Each of {1} security keys opens your store.")
        case .keyFile: tr("The key of your store is in a file beside it.")
        case .memory: tr("Your sessions are in memory only.")
        }
    }

    private static func systemPlace(_ key: SystemKey?) -> String {
        switch key {
        case .tpm: tr("systemd seals the key of your store to this machine, with its TPM.")
        case .hostAndTPM: tr("systemd seals the key of your store to this machine, with its TPM and a host key.")
        case .host: tr("systemd seals the key of your store to this machine, with a host key and no TPM.")
        case .unknown, .null, nil: tr("systemd seals the key of your store to this machine.")
        }
    }

    private static func limits(_ seal: Seal, _ key: SystemKey?) -> String {
        switch seal {
        case .passphrase:
            tr(
                "Not protected: from programs that run as you while the store is unlocked, and from others if the passphrase can be guessed."
            )
        case .secretService:
            tr(
                "Not protected: from programs that run as you while the keyring is unlocked, and from those who have its file and password."
            )
        case .system where key == .tpm || key == .hostAndTPM:
            tr(
                "Not protected: from programs that run as you, from root, and from those who start this machine and become you or root."
            )
        case .system where key != .host:
            tr("Not protected: from programs that run as you, from root, and perhaps from those who have a copy of the whole disk.")
        case .system:
            tr("Not protected: from programs that run as you, from root, and from those who have a copy of the whole disk.")
        case .securityKey:
            tr(
                "Not protected: from programs that run as you while the store is unlocked, and from those who have a key and its PIN."
            )
        case .keyFile: tr("Not protected: from programs that run as you, and from those who can read your files.")
        case .memory: tr("Not protected: from programs that run as you.")
        }
    }
}
