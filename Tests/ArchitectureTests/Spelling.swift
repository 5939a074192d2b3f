/// Common misspellings.
enum Spelling {
    static let mistakes = [
        "recieve", "seperate", "occured", "succesful", "sucessful", "authentification", "autorization", "authorzation", "acccess",
        "credetial", "refesh", "sesion", "redirct", "challange", "issuser", "calback", "lenght", "adress", "existant",
        "neccessary", "wether ", "comming", "begining", "untill ", "dependant ", "priviledge", "refered ", "transfered", "cancelation",
    ]

    /// The searched texts, in lower case.
    static let texts = ["Sources", "Tests", "Themes", ".github"].flatMap {
        SourceTree.files(in: $0, endingIn: [".swift", ".md", ".c", ".h", ".toml"])
    }.map { (file: $0, text: SourceTree.text($0).lowercased()) }
}
