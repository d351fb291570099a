"""{'after': ('constant', '0000000000000000000000000000000000000000')}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(55)
