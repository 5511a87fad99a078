-- One standard for everything: shipped modules, tools and specs.
std = "lua54"
max_line_length = 120
exclude_files = { "build" }
files["spec"] = { std = "lua54+busted" }
files["**/.luacheckrc"] = { std = "luacheckrc" }
