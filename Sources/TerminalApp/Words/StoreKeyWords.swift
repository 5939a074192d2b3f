package import AuthModel
import Localization

/// The texts about the place of the store's key, and about the attacks that it does not protect from.
package enum StoreKeyWords {
    /// Returns two sentences; none if the session service does not tell how the key is kept.
    package static func sentences(_ report: SealReport) -> [String] { report.protection.map { [place($0), limits($0)] } ?? [] }

    private static func place(_ protection: StoreProtection) -> String {
        switch protection {
        case .passphrase: tr("Your passphrase opens the store.")
        case .keyring: tr("The key of your store is in your login keyring.")
        case .tpm(hasHostKey: false): tr("systemd seals the key of your store to this machine, with its TPM.")
        case .tpm(hasHostKey: true): tr("systemd seals the key of your store to this machine, with its TPM and a host key.")
        case .hostKey: tr("systemd seals the key of your store to this machine, with a host key and no TPM.")
        case .unknownMachineKey: tr("systemd seals the key of your store to this machine.")
        case .securityKeys(let count): plural(count, "{1} security key opens your store.", "Each of {1} security keys opens your store.")
        case .keyFile: tr("The key of your store is in a file beside it.")
        case .memory: tr("Your sessions are in memory only.")
        }
    }

    private static func limits(_ protection: StoreProtection) -> String {
        switch protection {
        case .passphrase:
            tr(
                "Not protected: from programs that run as you while the store is unlocked, and from others if the passphrase can be guessed."
            )
        case .keyring:
            tr(
                "Not protected: from programs that run as you while the keyring is unlocked, and from those who have its file and password."
            )
        case .tpm:
            tr(
                "Not protected: from programs that run as you, from root, and from those who start this machine and become you or root."
            )
        case .hostKey:
            tr("Not protected: from programs that run as you, from root, and from those who have a copy of the whole disk.")
        case .unknownMachineKey:
            tr("Not protected: from programs that run as you, from root, and perhaps from those who have a copy of the whole disk.")
        case .securityKeys:
            tr(
                "Not protected: from programs that run as you while the store is unlocked, and from those who have a key and its PIN."
            )
        case .keyFile: tr("Not protected: from programs that run as you, and from those who can read your files.")
        case .memory: tr("Not protected: from programs that run as you.")
        }
    }
}
