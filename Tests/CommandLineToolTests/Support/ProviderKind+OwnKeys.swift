import AuthModel
import ProviderKinds
import UserConfiguration

extension ProviderKind {
    /// The names of the keys that only this kind defines.
    var ownKeys: [String] { definition.keys.map(\.name) }
}
