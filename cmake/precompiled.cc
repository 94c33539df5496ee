// Precompiled headers need a source to hang on.
