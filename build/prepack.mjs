// npm runs this before it packs a package by itself, whose tarball would lack the guides and perhaps what is built.
throw new Error("Pack the packages with `npm run release -- pack FOLDER`, and publish the tarballs that it writes.");
