import AuthModel

/// The texts for adding a provider.
enum AddProviderWords {
    static var title: String { tr("Add a provider") }
    static var entry: String { tr("Add a provider…") }

    static var intro: String { tr("Give its address: an issuer, or a resource such as an MCP server. Or take one of the well-known.") }
    static var provider: String { tr("Provider") }
    static var byAddress: String { tr("by its address") }
    static var address: String { tr("Address") }
    static var client: String { tr("Client") }
    static var ownClient: String { tr("I have a client id") }
    static var registers: String { tr("register one for me") }
    static var clientID: String { tr("Client id") }
    static var secretFile: String { tr("Secret file") }
    static var scopes: String { tr("Scopes") }
    static var name: String { tr("Name here") }

    static var addressHelp: String { tr("An https URL; http only for this machine itself.") }
    static func placeHelp(_ what: String, _ example: String) -> String { tr("Give {1}, such as {2}.", told(what), example) }
    static var clientHelp: String {
        tr("Many providers give client ids by hand only. Where programs may register, one of your own can be made.")
    }
    static var secretHelp: String { tr("Only where the provider gave a secret: a file that nobody but you can read.") }
    static var scopesHelp: String { tr("With blanks between them; empty for the usual ones.") }
    static var nameHelp: String { tr("Empty for one made from the host.") }

    static var noAddress: String { tr("the address is missing") }
    static func headerConflict(_ what: String) -> String { tr("it needs {1}", told(what)) }
    static var notAnAddress: String { tr("this is no address: write it as https://host, with a path where it has one") }
    static var notProtected: String { tr("http is taken for an address on this machine only: write https") }
    static var hasBlanks: String { tr("a blank cannot be part of it") }
    static var noClientID: String { tr("the client id is missing; where you have none, choose to register one") }
    static var badName: String { tr("a name has letters, digits, '.', '_' and '-' only") }
    static func nameTaken(_ name: String) -> String { tr("there is a provider named {1} already", name) }

    static var finding: String { tr("Asking who it is.") }
    static var adding: String { tr("Writing it into the configuration.") }
    static var registering: String { tr("Registering a client, and writing it into the configuration.") }
    static var findTitle: String { tr("Ask the provider who it is") }
    static var addTitle: String { tr("Add the provider") }

    static func whichServer(_ resource: String) -> String { tr("{1} takes tokens of these servers. Which one do you trust?", resource) }
    static var serverWarning: String { tr("What a resource says of itself is a stranger's word. Go on only if you know the server.") }

    static var confirm: String { tr("Is this who you mean?") }
    static var nameHere: String { tr("name here") }
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
    static var offers: String { tr("it offers") }
    static var redirect: String { tr("redirect") }
    static var registerRedirect: String { tr("This redirect address has to be registered there:") }
    static var willRegister: String { tr("a new one is registered when you confirm") }
    static var namesClient: String { tr("the provider names one at each sign-in") }
    static var nothing: String { tr("nothing") }

    static func added(_ name: ProviderName) -> String { tr("{1} is added", name) }
    static var cannotAdd: String { tr("providers cannot be added from here: run yett providers add") }
    static var stillWorking: String { tr("the provider is being asked") }

    static var keyFind: String { tr("go on") }
    static var keyChoose: String { tr("this one") }
    static var keyAdd: String { tr("add it") }
    static var keyChange: String { tr("change") }
    static var keyCopy: String { tr("copy redirect") }
    static var keyNew: String { tr("add provider") }
    static var helpNew: String { tr("add a provider to the configuration") }
    static var keyStop: String { tr("stop") }
    static var noRedirect: String { tr("there is no address to copy") }
}

/// The texts of all forms.
enum FormWords {
    static var keyNext: String { tr("next field") }
    static var keyPrevious: String { tr("previous field") }
    static var helpNext: String { tr("to the next field; the arrows change a choice") }
    static var helpSubmit: String { tr("on to the next field; from the last one the form is handed in") }
}
