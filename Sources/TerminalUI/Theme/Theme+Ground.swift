extension Theme {
    /// Whether it writes dark on light. The terminal's own ground counts as dark: most are, and nobody can ask.
    public var hasLightGround: Bool {
        guard let ground = self[Surface.screen].color?.trueColor else { return false }
        return ground.contrast(with: Color(red: 0, green: 0, blue: 0)) > ground.contrast(with: Color(red: 255, green: 255, blue: 255))
    }
}
