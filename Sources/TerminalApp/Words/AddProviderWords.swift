import AuthModel
import Localization

/// The texts for adding a provider.
enum AddProviderWords {
    static var title: String { tr("Add a provider") }
    static var entry: String { tr("Add a provider…") }

    static var intro: String { tr("Enter the address of an issuer, or of a resource such as an MCP server. Or choose a known provider.") }
    static var provider: String { tr("Provider") }
    static var byAddress: String { tr("by address") }
    static var address: String { tr("Address") }
    static var client: String { tr("Client") }
    static var ownClient: String { tr("I have a client id") }
    static var registers: String { tr("register a new one") }
    static var clientID: String { tr("Client id") }
    static var secretFile: String { tr("Secret file") }
    static var scopes: String { tr("Scopes") }
    static var name: String { tr("Local name") }

    static var addressHelp: String { tr("An https URL; http only for this machine.") }
    static func placeHelp(_ what: UserMessage, _ example: String) -> String { tr("Enter {1}, such as {2}.", what.text(), example) }
    static var clientHelp: String {
        tr("Many providers issue client ids only manually. Some let a program register a new client.")
    }
    static var secretHelp: String { tr("Only if the provider issued a secret: a file that only you can read.") }
    static var scopesHelp: String { tr("Separated by spaces. Empty: the default scopes.") }
    static var nameHelp: String { tr("Empty: a name derived from the host.") }

    static var noAddress: String { tr("the address is missing") }
    static func headerConflict(_ what: UserMessage) -> String { tr("enter {1}", what.text()) }
    static var notAnAddress: String { tr("not a valid address: write https://host or https://host/path") }
    static var notProtected: String { tr("http is allowed only for this machine: write https") }
    static var hasBlanks: String { tr("spaces are not allowed") }
    static var noClientID: String { tr("the client id is missing: enter it, or register a new one") }
    static var badName: String { tr("use only letters, digits, '.', '_' and '-'") }
    static func nameTaken(_ name: String) -> String { tr("a provider named {1} already exists", name) }

    static var finding: String { tr("Looking up the provider.") }
    static var adding: String { tr("Saving it in the configuration.") }
    static var registering: String { tr("Registering a client and saving it in the configuration.") }
    static var findTitle: String { tr("Look up the provider") }
    static var addTitle: String { tr("Add the provider") }

    static func whichServer(_ resource: String) -> String { tr("{1} accepts tokens from these servers. Which one do you trust?", resource) }
    static var serverWarning: String { tr("This list comes from the resource and is not verified. Continue only if you know the server.") }

    static var confirm: String { tr("Is this the right provider?") }
    static var nameHere: String { tr("local name") }
    static var issuer: String { tr("issuer") }
    static var resource: String { tr("for the resource") }
    static func endpoint(_ purpose: ProviderOffer.Endpoint.Purpose) -> String {
        switch purpose {
        case .signIn: tr("you sign in at")
        case .tokens: tr("tokens come from")
        case .registration: tr("registers clients at")
        }
    }
    static var kind: String { tr("kind") }
    static var asksFor: String { tr("asks for") }
    static var offers: String { tr("supports") }
    static var redirect: String { tr("redirect") }
    static var registerRedirect: String { tr("Register this redirect URI with the provider:") }
    static var willRegister: String { tr("new; registered when you confirm") }
    static var namesClient: String { tr("set by the provider at each sign-in") }
    static var nothing: String { tr("nothing") }

    static func added(_ name: ProviderName) -> String { tr("added {1}", name) }
    static var cannotAdd: String { tr("providers cannot be added from here: run yett providers add") }
    static var stillWorking: String { tr("waiting for the provider") }

    static var keyFind: String { tr("continue") }
    static var keyChoose: String { tr("choose") }
    static var keyAdd: String { tr("add") }
    static var keyChange: String { tr("change") }
    static var keyCopy: String { tr("copy redirect") }
    static var keyNew: String { tr("add provider") }
    static var helpNew: String { tr("add a provider to the configuration") }
    static var keyStop: String { tr("cancel") }
    static var noRedirect: String { tr("no redirect URI to copy") }
}

/// The texts of all forms.
enum FormWords {
    static var keyNext: String { tr("next field") }
    static var keyPrevious: String { tr("previous field") }
    static var helpNext: String { tr("go to the next field; the arrow keys change a choice") }
    static var helpSubmit: String { tr("go to the next field; in the last field, submit the form") }
}
